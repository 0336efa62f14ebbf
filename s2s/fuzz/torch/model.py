# pyright: reportUnknownMemberType=false
"""PyTorch as a format of the fuzzer: programs that `torch.export` captures."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import torch

from s2s.frontends.model import Source
from s2s.fuzz.model import Drawn, Format, FuzzModel
from s2s.fuzz.spread import PAIRS, Noise, Spread
from s2s.fuzz.torch.draw import as_tensors, draw_program
from s2s.fuzz.torch.program import Program, ProgramModule, StepSpec
from s2s.fuzz.torch.steps import STEPS
from s2s.fuzz.variants import TARGETS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


@frozen(eq=False)
class TorchModel(FuzzModel):
    """A program of torch."""

    program: Program
    decomposed: bool = False
    """Whether the exported program is decomposed to core operators by torch."""

    @property
    def format(self) -> Format:
        """PyTorch."""
        return FORMAT

    @property
    def source(self) -> Source:
        """The exported program."""
        given = {
            name: torch.zeros(shape, dtype=getattr(torch, dtype))
            for name, (shape, dtype) in self.program.inputs.items()
        }
        exported = torch.export.export(ProgramModule(self.program).eval(), (), given)
        return exported.run_decompositions() if self.decomposed else exported

    @property
    def operators(self) -> list[str]:
        """The kinds of its steps."""
        return [each.kind for each in self.program.steps]

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        return list(self.program.inputs)

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return list(self.program.outputs)

    def rewritten(self) -> "TorchModel":
        """The program in core operators."""
        return TorchModel(self.program, decomposed=True)

    def evaluate(
        self, inputs: Mapping[str, Array], *, pairs: int = PAIRS, other_engine: bool = False
    ) -> dict[str, Spread]:
        """All tensors as they are at the end, by torch; with `other_engine` by torch in 64 bits."""
        wide = _run(self.program, {name: value.astype(np.float64) for name, value in inputs.items()})
        wide = {name: value.astype(np.float32) for name, value in wide.items()}
        clean = wide if other_engine else _run(self.program, inputs)
        noisy = [_noisy(self.program, inputs, run) for run in range(1, 2 * pairs + 1)]
        return {name: Spread(value, (wide[name], *(each[name] for each in noisy))) for name, value in clean.items()}

    def check_import(self) -> None:
        """Refuse nothing: a batch is exported once, and what the frontend refuses of it is told apart in halves."""

    def pruned(self, outputs: Sequence[str]) -> "TorchModel":
        """The program with only these outputs."""
        return TorchModel(self.program.needed(outputs), self.decomposed)

    def without(self, operator: int, values: Mapping[str, Spread]) -> "TorchModel":
        """The program without a step."""
        value = values[self.program.steps[operator].name].clean
        return TorchModel(self.program.without(operator, str(value.dtype), value.shape), self.decomposed)

    def serialised(self) -> bytes:
        """The program as JSON."""
        return self.program.serialised()

    def read_inputs(self, stored: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs whose bytes are stored."""
        return {
            name: np.frombuffer(stored[name].tobytes(), dtype).reshape(shape)
            for name, (shape, dtype) in self.program.inputs.items()
        }


class TorchFormat(Format):
    """PyTorch: programs of a batch are one module."""

    name, suffix, targets = "torch", ".program", TARGETS

    @property
    def operators(self) -> list[str]:
        """The table of steps."""
        return sorted(STEPS)

    def draw(self, seed: str, prefix: str, batch: str, nodes: int) -> Drawn:
        """The program of a seed."""
        drawn = draw_program(seed, prefix, nodes)
        model = TorchModel(drawn.program)
        values = model.evaluate(drawn.inputs)
        inputs = {name: drawn.inputs[name] for name in model.inputs}
        return Drawn(seed, model, inputs, {name: values[name] for name in model.outputs}, drawn.counts)

    def merged(self, models: Sequence[FuzzModel]) -> TorchModel:
        """The programs one after the other."""
        programs = [each.program for each in cast(Sequence[TorchModel], models)]
        return TorchModel(
            Program(
                {name: each for program in programs for name, each in program.inputs.items()},
                tuple(step for program in programs for step in program.steps),
                tuple(name for program in programs for name in program.outputs),
            )
        )

    def read(self, data: bytes) -> TorchModel:
        """The program of a file."""
        return TorchModel(Program.read(data))

    def smallest(self) -> tuple[TorchModel, dict[str, Array]]:
        """A ReLU."""
        program = Program({"x": ((4,), "float32")}, (StepSpec("y", "relu", ("x",)),), ("y",))
        return TorchModel(program), {"x": np.ones(4, np.float32)}


def _run(program: Program, inputs: Mapping[str, Array]) -> dict[str, Array]:
    return {name: value.detach().numpy().copy() for name, value in program.run(as_tensors(inputs)).items()}


def _noisy(program: Program, inputs: Mapping[str, Array], run: int) -> dict[str, Array]:
    """All tensors where each step that rounds is off by some roundings; what is a view of its result is as well."""
    noise = Noise("torch", around_one=True)

    def changed(name: str, result: torch.Tensor) -> None:
        values = result.detach().numpy().copy()
        result.copy_(torch.from_numpy(noise.added(values, name, run, is_result=True)))

    return {name: value.detach().numpy().copy() for name, value in program.run(as_tensors(inputs), changed).items()}


FORMAT = TorchFormat()
