"""What a network is and what was decided for it, in words and tables."""
