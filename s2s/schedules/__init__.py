"""Schedule heuristics, one file per kind of kernel."""
