"""Arrays that users give, and made-up ones."""
