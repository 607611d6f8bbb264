"""The database of an arena: bots, tournaments, matches with their replays, standings and tokens."""
