"""An entry of the pipeline (`s2s/pipeline.py`)."""

from typing import NamedTuple

from xdsl.passes import ModulePass

from s2s.options import CompileOptions
from s2s.passes.conditions import Arguments, Condition, always, no_arguments
from s2s.registry import get_pass


class Step(NamedTuple):
    """One entry of the pipeline: a pass, the reason for its position, its condition and its options."""

    name: str
    reason: str
    when: Condition = always
    options: Arguments = no_arguments

    def pass_for(self, options: CompileOptions) -> ModulePass:
        """Construct the pass, with the pass options that `options` imply."""
        return get_pass(self.name)(**self.options(options))
