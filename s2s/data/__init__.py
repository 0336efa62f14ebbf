"""Read the arrays of users, and create sample values."""
