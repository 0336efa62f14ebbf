"""The graph interpreter in numpy: the reference for all lower levels."""

from s2s.interpret.graph.evaluate import can_evaluate, evaluate
from s2s.interpret.graph.run import Observer, initial_state, run_graph

__all__ = ["Observer", "can_evaluate", "evaluate", "initial_state", "run_graph"]
