"""A program of torch as data: steps on named tensors, some of which are views of others or change them in place.

    {"name": "b", "kind": "row", "operands": ["a"], "settings": {"place": 1}}      b = a[1], a view
    {"name": "c", "kind": "doubled", "operands": ["b"]}                            b.mul_(2): changes a as well

A program is JSON, never pickled. Its constants follow from the numbers in its settings.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

from torch import Tensor, nn

from s2s.fuzz.torch.steps import CHANGES, STEPS, VIEWS, Settings
from s2s.support.frozen import frozen

Changed = Callable[[str, Tensor], None]
"""Is called with the result of a step that computes new numbers."""


@frozen
class StepSpec:
    """One step."""

    name: str
    """The name of its result."""
    kind: str
    """The entry of the table."""
    operands: tuple[str, ...]
    settings: Settings = field(default_factory=dict[str, Any])


@frozen
class Program:
    """Inputs with shapes and types, steps in order, and the names of outputs."""

    inputs: Mapping[str, tuple[tuple[int, ...], str]]
    steps: tuple[StepSpec, ...]
    outputs: tuple[str, ...]

    def run(self, inputs: Mapping[str, Tensor], changed: Changed | None = None) -> dict[str, Tensor]:
        """All tensors as they are at the end; `inputs` belong to the run."""
        tensors = dict(inputs)
        for step in self.steps:
            entry = STEPS[step.kind]
            result = tensors[step.name] = entry.compute([tensors[operand] for operand in step.operands], step.settings)
            if changed is not None and entry.rounds:
                changed(step.name, result)
        return tensors

    def needed(self, outputs: Sequence[str]) -> "Program":
        """The program with only these outputs, and the steps from which they may follow.

        A change in place counts for all tensors that may share memory with what it changes.
        """
        owners = self.owners()
        names, kept = set(outputs), list[StepSpec]()
        growing = True
        while growing:
            owned = {owners[name] for name in names}
            changed = {step.name for step in self.steps if _changes(step) and owners[step.name] in owned}
            kept = [step for step in self.steps if step.name in names | changed]
            before, names = len(names), {*names, *(name for step in kept for name in (step.name, *step.operands))}
            growing = len(names) > before
        inputs = {name: port for name, port in self.inputs.items() if name in names}
        return Program(inputs, tuple(kept), tuple(outputs))

    def owners(self) -> dict[str, str]:
        """The tensor whose memory each tensor may be in: a view is in the memory of its operand."""
        owners = {name: name for name in self.inputs}
        for step in self.steps:
            shares = step.kind in VIEWS or step.kind in CHANGES
            owners[step.name] = owners[step.operands[0]] if shares else step.name
        return owners

    def without(self, place: int, dtype: str, shape: tuple[int, ...]) -> "Program":
        """The program whose input is what a step gave."""
        steps = (*self.steps[:place], *self.steps[place + 1 :])
        name = self.steps[place].name
        return Program({**self.inputs, name: (shape, dtype)}, steps, self.outputs).needed(self.outputs)

    def serialised(self) -> bytes:
        """The program as JSON."""
        return json.dumps(asdict(self), indent=1).encode()

    @staticmethod
    def read(data: bytes) -> "Program":
        """The program that `serialised` has written."""
        stored = json.loads(data)
        inputs = {name: (tuple(shape), dtype) for name, (shape, dtype) in stored["inputs"].items()}
        steps = tuple(
            StepSpec(step["name"], step["kind"], tuple(step["operands"]), step["settings"]) for step in stored["steps"]
        )
        return Program(inputs, steps, tuple(stored["outputs"]))


def _changes(step: StepSpec) -> bool:
    return step.kind in CHANGES


class ProgramModule(nn.Module):
    """A module that runs a program on inputs by name."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program

    def forward(self, **inputs: Tensor) -> dict[str, Tensor]:
        """The outputs by name."""
        tensors = self.program.run(inputs)
        return {name: tensors[name] for name in self.program.outputs}


__all__ = ["Changed", "Program", "ProgramModule", "Settings", "StepSpec"]
