"""Programs that measure the compiler and what it emits; `README.md` says which and how."""
