"""Tournaments: who meets whom, who plays the matches, and how results are recorded."""
