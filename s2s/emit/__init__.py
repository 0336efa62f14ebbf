"""From the `c` dialect to files."""
