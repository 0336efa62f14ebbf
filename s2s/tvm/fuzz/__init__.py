"""Tensor expressions as a format of the fuzzer (`s2s fuzz --format te`)."""
