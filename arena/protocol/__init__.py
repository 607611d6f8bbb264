"""The referee's side of the bot protocol, without networking: sessions, batches of turns, think clocks."""
