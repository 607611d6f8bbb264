"""Ratings and statistics, pure: TrueSkill, Bradley-Terry strengths, standings, upsets and stop rules."""
