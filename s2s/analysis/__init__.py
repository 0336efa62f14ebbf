"""Analyses: facts derived from the IR that several passes need."""
