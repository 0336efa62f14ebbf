"""An entry of the pipeline (`s2s/pipeline.py`), and the pass that it plans."""

from typing import Any, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec

from s2s.options import CompileOptions
from s2s.passes.begins import has_work
from s2s.passes.conditions import Arguments, Condition, always, no_arguments
from s2s.registry import get_pass


class PlannedPass(NamedTuple):
    """A pass with its options, imported where a module has operations that it begins at."""

    name: str
    options: tuple[tuple[str, Any], ...]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Apply the pass to a module that has work for it."""
        if has_work(op, self.name):
            get_pass(self.name)(**dict(self.options)).apply(ctx, op)

    def spec(self) -> ArgSpec:
        """Return the name and the options as `s2s-opt` takes them."""
        return get_pass(self.name)(**dict(self.options)).spec()


class Step(NamedTuple):
    """One entry of the pipeline: a pass, the reason for its position, its condition and its options."""

    name: str
    reason: str
    when: Condition = always
    options: Arguments = no_arguments

    def pass_for(self, options: CompileOptions) -> PlannedPass:
        """Plan the pass, with the pass options that `options` imply."""
        return PlannedPass(self.name, tuple(self.options(options).items()))
