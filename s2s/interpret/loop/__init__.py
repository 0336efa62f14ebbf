"""The meaning of the loop dialect, statement by statement, with every access checked."""
