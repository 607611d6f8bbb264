"""The leaderboard: what it says, and how it is shown."""
