"""Which memory operations touch."""
