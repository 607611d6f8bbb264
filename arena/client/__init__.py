"""The client side of `arena serve`: play on a server, and use its desk."""
