"""Choose the execution order and plan the arena: offsets of buffers, and a lower bound of the plan's size."""
