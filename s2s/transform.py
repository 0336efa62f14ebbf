"""Passes and the context they run under, with TVM's names.

with s2s.transform.PassContext(opt_level=3, disabled_pass=["AlterOpLayout"], instruments=[timing]):
    library = s2s.build(mod, params=params)

mod = s2s.transform.Sequential([FoldConstant(), EliminateCommonSubexpr()])(mod)
"""

from collections.abc import Sequence
from functools import partial

from s2s.errors import InputError
from s2s.passes.context import CompilerContext
from s2s.passes.instruments import (
    PassInfo,
    PassInstrument,
    PassTimingInstrument,
    PrintIR,
    pass_instrument,
)
from s2s.passes.levels import OPT_LEVELS, TVM_NAMES, runs
from s2s.passes.manager import PassManager
from s2s.passes.pass_context import PassContext
from s2s.registry import get_pass
from s2s.relay.module import IRModule


class Pass:
    """Passes of the graph level as one function from a module to a module."""

    def __init__(self, name: str, passes: Sequence[str]) -> None:
        self.name, self._passes = name, tuple(passes)

    def __repr__(self) -> str:
        return f"Pass({self.name})"

    @property
    def info(self) -> PassInfo:
        """The name and the optimisation level."""
        return PassInfo(self.name, max(OPT_LEVELS.get(each, 0) for each in self._passes))

    def __call__(self, mod: IRModule) -> IRModule:
        """A new module; under a context that leaves the pass out, an equal one."""
        made, context = mod.clone(), PassContext.current()
        manager = PassManager(passes=context.passes)
        chosen = [get_pass(each)() for each in self._passes if runs(each, context.passes)]
        manager.run(CompilerContext(made.weights), made.module, chosen)
        return made


class Sequential(Pass):
    """Passes one after the other, each under the context around."""

    def __init__(self, passes: Sequence[Pass], opt_level: int = 0, name: str = "sequential") -> None:
        super().__init__(name, [])
        self.passes, self.opt_level = tuple(passes), opt_level

    @property
    def info(self) -> PassInfo:
        """The name and the optimisation level of the whole."""
        return PassInfo(self.name, self.opt_level)

    def __call__(self, mod: IRModule) -> IRModule:
        """What the passes make of `mod`, one after the other."""
        for each in self.passes:
            mod = each(mod)
        return mod


def named(name: str) -> Pass:
    """A pass by our name (`graph-fold-constants`), or several by a name of TVM (`FoldConstant`)."""
    ours = TVM_NAMES.get(name, (name,))
    for each in ours:
        if not each.startswith("graph-"):
            raise InputError(f"transform.{name}: {each} runs inside of a compilation; use PassContext to leave it out")
        get_pass(each)
    return Pass(name, ours)


CanonicalizeOps = partial(named, "CanonicalizeOps")
"""Bias and per-channel factors go into weights."""
DeadCodeElimination = partial(named, "DeadCodeElimination")
"""Operations whose results nothing reads are erased."""
EliminateCommonSubexpr = partial(named, "EliminateCommonSubexpr")
"""Equal operations become one."""
FoldConstant = partial(named, "FoldConstant")
"""Operations on constants are evaluated."""
FoldScaleAxis = partial(named, "FoldScaleAxis")
"""Factors of channels go into the weights of convolutions and products."""
SimplifyExpr = partial(named, "SimplifyExpr")
"""Identities, chains of reshapes and forms of clip are simplified."""
SimplifyInference = partial(named, "SimplifyInference")
"""Batch norms become factors and offsets."""

__all__ = [
    "CanonicalizeOps",
    "DeadCodeElimination",
    "EliminateCommonSubexpr",
    "FoldConstant",
    "FoldScaleAxis",
    "Pass",
    "PassContext",
    "PassInfo",
    "PassInstrument",
    "PassTimingInstrument",
    "PrintIR",
    "Sequential",
    "SimplifyExpr",
    "SimplifyInference",
    "named",
    "pass_instrument",
]
