"""Where the time of a network goes on this machine, kernel by kernel, and how near each kernel is to its limits."""
