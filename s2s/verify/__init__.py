"""Building, loading and comparing emitted trees."""
