"""A network of tensor expressions as data: formulas in order, and the directives that its schedule is given.

{"name": "c", "kind": "matmul", "operands": ["a", "b"]}           c[i, j] = sum(a[i, k] * b[k, j])
{"stage": "c", "kind": "split", "loops": [1], "factor": 4}        s[c].split(loop 1 of c, factor=4)
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from s2s.support.frozen import frozen
from s2s.tvm import te
from s2s.tvm.fuzz.formulas import FORMULAS
from s2s.tvm.te.stage import Stage
from s2s.types.dtypes import Array

DIRECTIVES = (
    "split",
    "fuse",
    "reorder",
    "tile",
    "vectorize",
    "unroll",
    "parallel",
    "compute_at",
    "compute_inline",
    "cache_write",
    "cache_read",
)


@frozen
class FormulaSpec:
    """One formula."""

    name: str
    """The name of its tensor."""
    kind: str
    """The entry of the table."""
    operands: tuple[str, ...]


@frozen
class DirectiveSpec:
    """One directive. Its loops are numbers, of which those that a stage has are taken by their remainder."""

    stage: str
    kind: str
    loops: tuple[int, ...] = ()
    factor: int = 1
    at: str = ""
    """The stage that a `compute_at` or a `cache_read` is for."""


@frozen
class Program:
    """Inputs with shapes, formulas in order, directives in order, and the names of outputs."""

    inputs: Mapping[str, tuple[int, ...]]
    formulas: tuple[FormulaSpec, ...]
    directives: tuple[DirectiveSpec, ...]
    outputs: tuple[str, ...]

    def tensors(self) -> dict[str, te.Tensor]:
        """All tensors as expressions."""
        tensors = {name: te.placeholder(shape, name=name) for name, shape in self.inputs.items()}
        for spec in self.formulas:
            operands = [tensors[operand] for operand in spec.operands]
            tensors[spec.name] = FORMULAS[spec.kind].express(operands, spec.name)
        return tensors

    def scheduled(self) -> tuple[te.Schedule, list[te.Tensor]]:
        """The schedule with its directives, and the arguments. Raises what a directive is refused with."""
        tensors = self.tensors()
        schedule = te.create_schedule([tensors[name].op for name in self.outputs])
        for directive in self.directives:
            _give(schedule, tensors, directive)
        return schedule, [tensors[name] for name in (*self.inputs, *self.outputs)]

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """All tensors by numpy."""
        arrays = dict(inputs)
        for spec in self.formulas:
            arrays[spec.name] = FORMULAS[spec.kind].compute([arrays[operand] for operand in spec.operands])
        return arrays

    def needed(self, outputs: Sequence[str]) -> "Program":
        """The program with only these outputs, and the directives of the stages that are left."""
        names, kept = set(outputs), list[FormulaSpec]()
        for spec in reversed(self.formulas):
            if spec.name in names:
                kept.append(spec)
                names.update(spec.operands)
        computed = {spec.name for spec in kept}
        directives = [one for one in self.directives if one.stage in names and one.at in {"", *computed}]
        inputs = {name: shape for name, shape in self.inputs.items() if name in names}
        return Program(inputs, tuple(reversed(kept)), tuple(directives), tuple(outputs))

    def without(self, place: int, shape: tuple[int, ...]) -> "Program":
        """The program whose input is what a formula gave."""
        formulas = (*self.formulas[:place], *self.formulas[place + 1 :])
        name = self.formulas[place].name
        directives = tuple(one for one in self.directives if name not in (one.stage, one.at))
        return Program({**self.inputs, name: shape}, formulas, directives, self.outputs).needed(self.outputs)

    def serialised(self) -> bytes:
        """The program as JSON."""
        return json.dumps(asdict(self), indent=1).encode()

    @staticmethod
    def read(data: bytes) -> "Program":
        """The program that `serialised` has written."""
        stored = json.loads(data)
        return Program(
            {name: tuple(shape) for name, shape in stored["inputs"].items()},
            tuple(FormulaSpec(one["name"], one["kind"], tuple(one["operands"])) for one in stored["formulas"]),
            tuple(
                DirectiveSpec(one["stage"], one["kind"], tuple(one["loops"]), one["factor"], one["at"])
                for one in stored["directives"]
            ),
            tuple(stored["outputs"]),
        )


def _give(schedule: te.Schedule, tensors: Mapping[str, te.Tensor], directive: DirectiveSpec) -> None:
    """Give a schedule one directive."""
    tensor = tensors[directive.stage]
    stage: Stage = schedule[tensor]
    loops = [stage.leaves[number % len(stage.leaves)] for number in directive.loops] if stage.leaves else []
    match directive.kind:
        case "split":
            stage.split(loops[0], factor=directive.factor)
        case "tile":
            stage.tile(loops[0], loops[1], directive.factor, directive.factor + 1)
        case "reorder":
            stage.reorder(*dict.fromkeys(loops))
        case "fuse":
            stage.fuse(*loops[:2])
        case "compute_at":
            parent: Stage = schedule[tensors[directive.at]]
            stage.compute_at(parent, parent.leaves[directive.loops[0] % len(parent.leaves)])
        case "compute_inline":
            stage.compute_inline()
        case "cache_write":
            schedule.cache_write(tensor, "local")
        case "cache_read":
            schedule.cache_read(tensor, "local", [tensors[directive.at]])
        case _:
            getattr(stage, directive.kind)(loops[0])
