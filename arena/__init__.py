"""A tournament arena for bots that play imperfect-information card games."""

__version__ = "0.1.0"
