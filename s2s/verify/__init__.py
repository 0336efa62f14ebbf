"""Build, load and compare emitted trees."""
