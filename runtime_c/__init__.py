"""The C runtime that emitted trees carry. Installed as `s2s.runtime_c`."""
