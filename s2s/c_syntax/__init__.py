"""Write names, types, numbers and expressions in C; used by passes and by emission."""
