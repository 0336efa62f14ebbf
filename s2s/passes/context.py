"""The context that every pass receives: dialects, the weights of the network, targets, and given decisions."""

from collections.abc import Sequence
from functools import partial

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math
from xdsl.ir import Dialect

from s2s.decisions.given import Given
from s2s.dialects.c import C
from s2s.dialects.graph import Graph
from s2s.dialects.loop import Loop
from s2s.dialects.tensor import Tensor
from s2s.errors import CompilerBug
from s2s.schedules.directives import Schedule
from s2s.schedules.directives.registered import registered_directives
from s2s.targets import Target, get_target
from s2s.types.weights import WeightStore


class CompilerContext(Context):
    """An xDSL context that also holds the values of the constants that the IR names, the targets of passes, and the
    decisions that were given beforehand."""

    weights: WeightStore
    targets: dict[str, Target]
    """By name, the targets that this compilation was given as data."""
    given: Given

    def __init__(
        self, weights: WeightStore | None = None, targets: Sequence[Target] = (), given: Given | None = None
    ) -> None:
        super().__init__()
        self.weights = weights if weights is not None else WeightStore()
        self.targets = {target.name: target for target in targets}
        self.given = given if given is not None else Given()
        for dialect in (Builtin, Func, Arith, Math, Graph, Tensor, Schedule, Loop, C):
            self.register_dialect(dialect.name, partial(_itself, dialect))
        for directive in registered_directives():
            self.load_attr_or_type(directive)


def _itself(dialect: Dialect) -> Dialect:
    return dialect


def weights_of(ctx: Context) -> WeightStore:
    """The weight store of `ctx`."""
    if not isinstance(ctx, CompilerContext):
        raise CompilerBug("this pass needs a CompilerContext")
    return ctx.weights


def target_of(ctx: Context, name: str) -> Target:
    """Return the target that a pass names: one of the compilation, else an installed one or a target file."""
    given = ctx.targets.get(name) if isinstance(ctx, CompilerContext) else None
    return given if given is not None else get_target(name)


def given_of(ctx: Context) -> Given:
    """Return the decisions that were given beforehand."""
    if not isinstance(ctx, CompilerContext):
        raise CompilerBug("this pass needs a CompilerContext")
    return ctx.given
