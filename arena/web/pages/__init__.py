"""The pages that show what the store has: boards, bots, matches and tournaments."""
