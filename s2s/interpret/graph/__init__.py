"""The meaning of the graph dialect in numpy: the reference that everything below is compared with."""

from s2s.interpret.graph.evaluate import can_evaluate, evaluate
from s2s.interpret.graph.run import Observer, initial_state, run_graph

__all__ = ["Observer", "can_evaluate", "evaluate", "initial_state", "run_graph"]
