"""How accesses move through memory."""
