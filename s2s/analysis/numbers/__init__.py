"""Which values integers can take."""
