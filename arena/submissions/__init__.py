"""A bot's files, from submission to installed version."""
