"""Reference meanings: every level of the IR can be run."""
