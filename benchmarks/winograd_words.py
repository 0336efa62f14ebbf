"""Instructions of integer convolutions on a core that multiplies pairs of 16 bits in a word, by algorithm.

    python -m benchmarks.winograd_words

compiles convolutions with windows of 1x3, 3x1 and 3x3 for a Cortex-M4 in each form that the compiler may choose among
(decision `algorithm`), runs them under QEMU, and prints for each the instructions counted beside the estimate that the
compiler ranks by, RAM, and bytes of the filters. The row marked `*` is what `--prefer time` takes. The exit code is 1
where an output is not that of the reference, or where a form counted to take at least a tenth more
instructions than another one was estimated to take fewer.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from benchmarks.winograd import put_channels_last
from s2s import api
from s2s.artifact import compile_artifact
from s2s.decisions.algorithm import ALGORITHM
from s2s.options import CompileOptions

BOARD, TARGET = "qemu:m4", "cortex-m4"
APART = 1.1
"""How much more instructions one form takes than another one, where their order is judged."""


@dataclass(frozen=True)
class Case:
    """A convolution that keeps the size of its image."""

    image: tuple[int, int]
    in_channels: int
    out_channels: int
    window: tuple[int, int]

    def save(self, path: Path) -> None:
        """Write the convolution, quantised, as an ONNX model with channels last."""
        rng = np.random.default_rng(7)
        shape = (1, self.in_channels, *self.image)
        w = rng.standard_normal((self.out_channels, self.in_channels, *self.window)).astype(np.float32)
        b = rng.standard_normal(self.out_channels).astype(np.float32)
        pads = [size // 2 for size in self.window] * 2
        node = helper.make_node("Conv", ["x", "w", "b"], ["y"], "conv", pads=pads)
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, self.out_channels, *self.image])
        constants = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")]
        graph = helper.make_graph([node], "conv", [x], [y], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        path.write_bytes(model.SerializeToString())
        api.quantize(path, {"x": rng.standard_normal(shape).astype(np.float32)}, ports="int8").save(path)
        put_channels_last(path)

    def __str__(self) -> str:
        rows, columns = self.image
        height, width = self.window
        return f"{height}x{width}, {self.in_channels} to {self.out_channels}, {rows}x{columns}"


CASES = (
    Case((16, 16), 16, 16, (1, 3)),
    Case((16, 16), 32, 32, (1, 3)),
    Case((16, 16), 32, 32, (3, 1)),
    Case((8, 8), 64, 64, (3, 1)),
    Case((1, 64), 16, 32, (1, 3)),
    Case((32, 32), 16, 16, (3, 3)),
    Case((16, 16), 32, 32, (3, 3)),
    Case((8, 8), 64, 64, (3, 3)),
)


@dataclass(frozen=True)
class Form:
    """A convolution compiled in one of its forms."""

    name: str
    chosen: bool
    instructions: int
    estimate: float
    ram: int
    filters: int
    right: bool


def forms(case: Case) -> Iterator[Form]:
    """Compile and count a convolution in each form that the compiler considers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conv.onnx"
        case.save(path)
        written = compile_artifact(path, CompileOptions(target=TARGET, prefer="time", explain=True)).decisions
        (decision,) = (entry for entry in written if entry.kind == ALGORITHM)
        for candidate in decision.candidates:
            assert candidate.cost is not None
            assert candidate.cost.cycles is not None
            entry = {"kind": ALGORITHM, "subject": decision.subject, "chosen": candidate.note}
            artifact = api.compile(path, target=TARGET, decisions={"format": 1, "decisions": [entry]})
            measured = artifact.verify_on(BOARD).as_dict()
            yield Form(
                candidate.note,
                candidate.note == decision.chosen,
                measured["instructions"],
                candidate.cost.cycles,
                measured["ram_bytes"],
                candidate.cost.flash or 0,
                measured["passed"],
            )


def disordered(measured: Sequence[Form]) -> list[str]:
    """Return the pairs of forms that are estimated in another order than they were counted."""
    pairs = permutations(measured, 2)
    return [
        f"{slow.name} takes {slow.instructions:,} instructions, {fast.name} {fast.instructions:,}"
        for slow, fast in pairs
        if slow.instructions >= APART * fast.instructions and slow.estimate <= fast.estimate
    ]


def main() -> int:
    """Measure, print and judge."""
    print(f"{'convolution':<26}{'form':<16}{'counted':>11}{'estimate':>11}{'RAM':>9}{'filters':>9}")
    faults: list[str] = []
    for case in CASES:
        measured: list[Form] = []
        for entry in forms(case):
            row, name = "" if measured else str(case), f"{entry.name}{' *' if entry.chosen else ''}"
            figures = f"{entry.instructions:11,}{entry.estimate:11,.0f}{entry.ram:9,}{entry.filters:9,}"
            print(f"{row:<26}{name:<16}{figures}", flush=True)
            measured.append(entry)
        faults += [f"{case}: {entry}" for entry in disordered(measured)]
        faults += [f"{case}: {entry.name} gives other results" for entry in measured if not entry.right]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
