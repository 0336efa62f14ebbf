"""Tensor expressions as a format of the fuzzer: formulas with schedules of random directives, which numpy computes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.model import Source
from s2s.fuzz.model import Drawn, Format, FuzzModel
from s2s.fuzz.spread import PAIRS, Spread
from s2s.fuzz.variants import TARGETS
from s2s.support.frozen import frozen
from s2s.tvm.fuzz.draw import draw_program
from s2s.tvm.fuzz.formulas import FORMULAS
from s2s.tvm.fuzz.program import DIRECTIVES, FormulaSpec, Program
from s2s.tvm.te.build import compilation_of
from s2s.types.dtypes import Array


@frozen(eq=False)
class ExpressionModel(FuzzModel):
    """A network of tensor expressions with its schedule."""

    program: Program

    @property
    def format(self) -> Format:
        """Tensor expressions."""
        return FORMAT

    @property
    def source(self) -> Source:
        """The network as it is scheduled for portable C."""
        return self.source_for("c")

    def source_for(self, target: str) -> Source:
        """The network as it is scheduled for a target; what a directive is refused with is no fault."""
        try:
            schedule, arguments = self.program.scheduled()
            return compilation_of(schedule, arguments, "net", target).source
        except InputError as error:
            raise UnsupportedError(str(error)) from error

    @property
    def operators(self) -> list[str]:
        """The kinds of its formulas."""
        return [spec.kind for spec in self.program.formulas]

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        return list(self.program.inputs)

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return list(self.program.outputs)

    def rewritten(self) -> "ExpressionModel":
        """The formulas without directives."""
        return ExpressionModel(replace(self.program, directives=()))

    def evaluate(
        self, inputs: Mapping[str, Array], *, pairs: int = PAIRS, other_engine: bool = False
    ) -> dict[str, Spread]:
        """All tensors by numpy; the other engine is the schedule without directives, which is compiled."""
        return {name: Spread(np.asarray(value, order="C")) for name, value in self.program.run(inputs).items()}

    def check_import(self) -> None:
        """Schedule it, which raises what is refused."""
        self.source_for("c")

    def pruned(self, outputs: Sequence[str]) -> "ExpressionModel":
        """The network with only these outputs."""
        return ExpressionModel(self.program.needed(outputs))

    def without(self, operator: int, values: Mapping[str, Spread]) -> "ExpressionModel":
        """The network without a formula."""
        shape = values[self.program.formulas[operator].name].clean.shape
        return ExpressionModel(self.program.without(operator, shape))

    def serialised(self) -> bytes:
        """The network as JSON."""
        return self.program.serialised()

    def read_inputs(self, stored: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs whose bytes are stored."""
        return {
            name: np.frombuffer(stored[name].tobytes(), np.float32).reshape(shape)
            for name, shape in self.program.inputs.items()
        }


class ExpressionFormat(Format):
    """Tensor expressions: formulas of a batch are outputs of one schedule."""

    name, suffix, targets = "te", ".te", TARGETS
    options: Mapping[str, Any] = {"schedule": "reference"}

    @property
    def operators(self) -> list[str]:
        """The tables of formulas and of directives."""
        return [*sorted(FORMULAS), *DIRECTIVES]

    def draw(self, seed: str, prefix: str, batch: str, nodes: int) -> Drawn:
        """The network of a seed."""
        drawn = draw_program(seed, prefix, nodes)
        model = ExpressionModel(drawn.program)
        values = model.evaluate(drawn.inputs)
        return Drawn(seed, model, drawn.inputs, {name: values[name] for name in model.outputs}, drawn.counts)

    def merged(self, models: Sequence[FuzzModel]) -> ExpressionModel:
        """The networks one after the other."""
        programs = [model.program for model in cast(Sequence[ExpressionModel], models)]
        return ExpressionModel(
            Program(
                {name: shape for program in programs for name, shape in program.inputs.items()},
                tuple(spec for program in programs for spec in program.formulas),
                tuple(one for program in programs for one in program.directives),
                tuple(name for program in programs for name in program.outputs),
            )
        )

    def read(self, data: bytes) -> ExpressionModel:
        """The network of a file."""
        return ExpressionModel(Program.read(data))

    def smallest(self) -> tuple[ExpressionModel, dict[str, Array]]:
        """A ReLU."""
        program = Program({"x": (4,)}, (FormulaSpec("y", "relu", ("x",)),), (), ("y",))
        return ExpressionModel(program), {"x": np.ones(4, np.float32)}


FORMAT = ExpressionFormat()
