"""What the store holds as plain values for people and programs: boards, listings, exports. No drawing."""
