"""The games: one package each, and what they have in common."""
