"""The referee's side of the bot protocol, without networking: sessions, batches, pending turns, think clocks."""
