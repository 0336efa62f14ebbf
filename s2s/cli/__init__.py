"""The command line `s2s`: a thin layer over `s2s.api`, with one file for each command."""
