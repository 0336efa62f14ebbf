"""Numpy meanings of the families of operations that few networks have."""

from xdsl.ir import Operation

from s2s.interpret.graph import blockwise, index, regions, run_sizes, selection, signal, sliding, trees
from s2s.interpret.graph.precision import Meaning

MEANINGS: dict[type[Operation], Meaning] = {
    **blockwise.MEANINGS,
    **signal.MEANINGS,
    **sliding.MEANINGS,
    **selection.MEANINGS,
    **index.SCATTERS,
    **regions.MEANINGS,
    **run_sizes.MEANINGS,
    **trees.MEANINGS,
}
