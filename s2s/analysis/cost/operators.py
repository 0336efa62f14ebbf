"""Count the multiply-adds of networks."""

from xdsl.dialects.func import FuncOp

from s2s.dialects import graph
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.types.symbols import function_named


def multiply_adds_of_network(network: FuncOp, counts: dict[FuncOp, int] | None = None) -> int:
    """Return the multiply-adds of a function at graph level and of the networks it runs; both branches of a condition
    count, and a loop whose length depends on the data counts once. `counts` remembers those of functions."""
    counts = {} if counts is None else counts
    if network not in counts:
        counts[network] = sum(map(multiply_adds, network.walk()))
        for op in network.walk():
            for name, times in zip(op.networks, op.repetitions, strict=True) if isinstance(op, graph.NetworkOp) else ():
                called = function_named(op, name)
                counts[network] += 0 if called is None else times * multiply_adds_of_network(called, counts)
    return counts[network]
