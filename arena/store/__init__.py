"""What is kept: bots and their versions, tournaments, matches with their replays, ratings."""
