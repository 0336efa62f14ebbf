"""What the compiler chooses, as data: alternatives, their legality and cost, what was chosen, by whom and why."""
