"""The choices of the compiler as data: candidates, their legality and cost, what was chosen, by whom and why."""
