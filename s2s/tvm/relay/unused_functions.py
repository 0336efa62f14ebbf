"""A pass that removes functions which the entries of a module do not call.

def @main(%x) { @twice(%x) }   def @twice …   def @other …        without @other
"""

from collections.abc import Sequence

from s2s.errors import InputError
from s2s.passes.instruments import PassInfo
from s2s.tvm.relay.expr import written
from s2s.tvm.relay.function import Function, GlobalVar
from s2s.tvm.relay.module import IRModule
from s2s.tvm.transform import Pass


class RemoveUnusedFunctions(Pass):
    """Keeps the functions of these names, by default `main`, and what they call."""

    def __init__(self, entry_functions: Sequence[str] | None = None) -> None:
        super().__init__(PassInfo(1, "RemoveUnusedFunctions"))
        self._entries = ["main"] if entry_functions is None else list(entry_functions)

    def applied(self, mod: IRModule) -> IRModule:
        functions = {var.name_hint: function for var, function in mod.functions.items()}
        for name in self._entries:
            if name not in functions:
                held = ", ".join(functions) or "none"
                raise InputError(f"RemoveUnusedFunctions: {name}: there is no such function; give one of {held}")
        kept, waiting = set[str](), list(self._entries)
        while waiting:
            name = waiting.pop()
            if name not in kept:
                kept.add(name)
                waiting += called_by(functions[name])
        return IRModule({GlobalVar(name): function for name, function in functions.items() if name in kept})


def called_by(function: Function) -> list[str]:
    """The names of the global functions that a function reads."""
    return [node.name_hint for node in written(function.body) if isinstance(node, GlobalVar)]
