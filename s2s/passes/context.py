"""The context every pass is handed: the dialects it may meet, and the weights of the network."""

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math

from s2s.dialects.c import C
from s2s.dialects.graph import Graph
from s2s.dialects.loop import Loop
from s2s.dialects.tensor import Tensor
from s2s.errors import CompilerBug
from s2s.types.weights import WeightStore


class CompilerContext(Context):
    """An xDSL context that also carries the values of the constants named in the IR."""

    weights: WeightStore

    def __init__(self, weights: WeightStore | None = None) -> None:
        super().__init__()
        self.weights = weights if weights is not None else WeightStore()
        for dialect in (Builtin, Func, Arith, Math, Graph, Tensor, Loop, C):
            self.load_dialect(dialect)


def weights_of(ctx: Context) -> WeightStore:
    """The weight store of `ctx`."""
    if not isinstance(ctx, CompilerContext):
        raise CompilerBug("this pass needs a CompilerContext")
    return ctx.weights
