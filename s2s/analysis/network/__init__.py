"""The functions of a module, and which of their arguments are constant."""
