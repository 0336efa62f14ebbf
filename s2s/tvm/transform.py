"""Passes and the context they run under, with TVM's names; those of networks are in `relay.transform`.

with tvm.transform.PassContext(opt_level=3, disabled_pass=["AlterOpLayout"], instruments=[timing]):
    library = relay.build(mod, params=params)

mod = tvm.transform.Sequential([relay.transform.FoldConstant(), relay.transform.EliminateCommonSubexpr()])(mod)
"""

from collections.abc import Mapping, Sequence

from s2s.errors import InputError
from s2s.passes.context import CompilerContext
from s2s.passes.instruments import PassInfo, PrintIR
from s2s.passes.levels import OPT_LEVELS, TVM_NAMES, runs
from s2s.passes.manager import PassManager
from s2s.passes.pass_context import PassContext
from s2s.registry import get_pass
from s2s.tvm.relay.module import IRModule


class Pass:
    """Passes of the graph level as one function from a module to a module."""

    def __init__(self, name: str, passes: Sequence[str], options: Mapping[str, object] | None = None) -> None:
        self.name, self._passes, self._options = name, tuple(passes), dict(options or {})

    def __repr__(self) -> str:
        return f"Pass({self.name})"

    @property
    def info(self) -> PassInfo:
        """The name and the optimisation level."""
        return PassInfo(self.name, max((OPT_LEVELS.get(each, 0) for each in self._passes), default=0))

    def __call__(self, mod: IRModule) -> IRModule:
        """A new module. What is called by itself runs whatever its level; instruments of the context look on."""
        return self._applied(mod, self._passes)

    def under_context(self, mod: IRModule) -> IRModule:
        """As a call, but a pass that the context around leaves out does not run."""
        passes = PassContext.current().passes
        return self._applied(mod, [each for each in self._passes if runs(each, passes)])

    def _applied(self, mod: IRModule, names: Sequence[str]) -> IRModule:
        made = mod.clone()
        manager = PassManager(passes=PassContext.current().passes)
        chosen = [get_pass(each)(**self._options) for each in names]
        manager.run(CompilerContext(made.weights), made.module, chosen)
        return made


class Sequential(Pass):
    """Passes one after the other, as far as the context around does not leave them out."""

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
            mod = each.under_context(mod)
        return mod

    def under_context(self, mod: IRModule) -> IRModule:
        """The same: it asks the context in any case."""
        return self(mod)


def named(name: str, **options: object) -> Pass:
    """A pass by our name (`graph-fold-constants`), or several by a name of TVM (`FoldConstant`)."""
    ours = TVM_NAMES.get(name, (name,))
    for each in ours:
        if not each.startswith("graph-"):
            raise InputError(f"transform.{name}: {each} runs inside of a compilation; use PassContext to leave it out")
        get_pass(each)
    return Pass(name, ours, options)


__all__ = ["Pass", "PassContext", "PassInfo", "PrintIR", "Sequential", "named"]
