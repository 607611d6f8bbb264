"""Tournaments: who meets whom, who plays the matches, and what comes of it."""
