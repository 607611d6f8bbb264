"""Matches shown while they are played: read from the workers' live files, once for all browsers."""
