"""The rules of the games, and nothing else: no I/O, no clock, no protobuf."""
