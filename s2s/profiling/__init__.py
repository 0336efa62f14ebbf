"""Profile a network on this machine, kernel by kernel, against the roofline."""
