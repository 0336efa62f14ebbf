"""No run of a network takes more cycles than the worst case that was computed from others; where its path is exact, all
runs take the same instructions."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.emit.read_tree import read_tree
from s2s.options import CompileOptions
from s2s.types.dtypes import Array, to_numpy
from s2s.verify.on_board import BoardBuild, BoardRun
from support.boards import board_or_skip
from support.onnx_text import onnx_file

RUNS, FEW_RUNS = 1000, 150
"""Runs of a network, and of one that takes much longer for floats on a core without them."""
WEIGHTS = ", ".join(str(37 * number % 19 - 9) for number in range(24))
FILTERS = ", ".join(str(53 * number % 31 - 15) for number in range(72))
TABLE = ", ".join(f"{number}.5" for number in range(32))
BODIES = {
    "layers of bytes": f"""(int8[1, 4] x) => (int8[1, 6] y)
        <float s = {{0.1}}, int8 z = {{3}}, float sw = {{0.05}}, int8 zw = {{0}}, int8[4, 6] w = {{{WEIGHTS}}},
         float sy = {{0.2}}, int8 zy = {{-5}}>
        {{ y = QLinearMatMul (x, s, z, w, sw, zw, sy, zy) }}""",
    "a convolution of bytes and its mean": f"""(int8[1, 2, 7, 7] x) => (int8[1, 4, 1, 1] y)
        <float s = {{0.1}}, int8 z = {{3}}, float sw = {{0.05}}, int8 zw = {{0}}, int8[4, 2, 3, 3] w = {{{FILTERS}}},
         float sy = {{0.2}}, int8 zy = {{-5}}>
        {{ c = QLinearConv (x, s, z, w, sw, zw, sy, zy) f = DequantizeLinear (c, sy, zy)
           m = GlobalAveragePool (f) y = QuantizeLinear (m, sy, zy) }}""",
    "softmax of floats": "(float[1, 7] x) => (float[1, 7] y) { y = Softmax (x) }",
    "the greatest five of forty": """(float[1, 40] x) => (float[1, 5] y, int64[1, 5] i)
        <int64[1] five = {5}> { y, i = TopK (x, five) }""",
    "rows that an input names": """(int64[6] x) => (float[6, 4] y)
        <float[8, 4] t = {TABLE}> { y = Gather (t, x) }""".replace("TABLE", TABLE),
    "the place of the greatest": "(float[1, 30] x) => (int64[1] y) { y = ArgMax <axis = 1, keepdims = 0> (x) }",
    "exponentials of the C library": "(float[1, 9] x) => (float[1, 9] y) { y = Erf (x) }",
}


def gates(rows: int) -> str:
    values = ", ".join(str((37 * number % 19 - 9) / 20) for number in range(3 * rows))
    return f"float[1, {rows}, 3] w = {{{values}}}"


STATEFUL: Mapping[str, tuple[str, dict[str, Any]]] = {
    "a GRU with its state": (
        f"""(float[1, 1, 3] x, float[1, 1, 3] h) => (float[1, 1, 1, 3] y, float[1, 1, 3] last)
        <{gates(9)}> {{ y, last = GRU <hidden_size = 3> (x, w, w, , , h) }}""",
        {"states": {"h": "last"}},
    ),
    "a convolution of a stream": (
        f"""(float[1, 2, 24] x) => (float[1, 4, 24] y)
        <float[4, 2, 3] w = {{{WEIGHTS}}}> {{ c = Conv <pads = [2, 0]> (x, w) y = Relu (c) }}""",
        {"streams": {"x": 2}},
    ),
}
"""Networks whose runs find what the runs before left, with the options that make them."""
RECURRENT = {
    "an LSTM": f"""(float[2, 1, 3] x) => (float[2, 1, 1, 3] y)
        <{gates(12)}> {{ y = LSTM <hidden_size = 3> (x, w, w) }}""",
    "a GRU": f"""(float[2, 1, 3] x) => (float[2, 1, 1, 3] y)
        <{gates(9)}> {{ y = GRU <hidden_size = 3> (x, w, w) }}""",
}
STREAMS: Mapping[str, str] = {
    "distant frames": f"""(float[1, 8, 64] x) => (float[1, 4, 64] y)
        <float[4, 8, 3] w = {{{", ".join([WEIGHTS] * 4)}}}> {{ y = Conv <dilations = [8], pads = [16, 0]> (x, w) }}""",
    "the greatest of frames": """(float[1, 16, 64] x) => (float[1, 16, 64] y)
        { y = MaxPool <kernel_shape = [9], pads = [8, 0]> (x) }""",
}
TIGHT = 1.5
"""How far above the longest run of a stream its worst case is on a core with an FPU, at most."""
BYTES = ("layers of bytes", "a convolution of bytes and its mean")
EXACT = ("layers of bytes",)
CASES = [
    *itertools.product(["qemu:m4"], BODIES),
    *itertools.product(["qemu:m0"], [*BYTES, "the greatest five of forty"]),
    *itertools.product(["qemu:m3"], [*BYTES, "softmax of floats"]),
    *itertools.product(["qemu:m7", "qemu:m33"], [*BYTES, "softmax of floats"]),
    *itertools.product(["qemu:m3", "qemu:m4", "qemu:m33"], [*RECURRENT, *STATEFUL]),
    *itertools.product(["qemu:m0"], ["an LSTM", "a convolution of a stream"]),
]


def values(kind: np.dtype[np.generic], shape: Sequence[int], random: np.random.Generator) -> Array:
    """Values of all sizes, with equal ones, greatest ones and zeros among them."""
    if kind == np.int64:
        return random.integers(0, 8, shape, kind)
    if kind.kind == "i":
        return random.integers(-128, 128, shape).astype(kind)
    scale = 10.0 ** random.integers(-3, 4)
    return np.where(random.random(shape) < 0.1, 0, scale * random.standard_normal(shape)).astype(kind)


def counted(build: BoardBuild, runs: int) -> BoardRun:
    random = np.random.default_rng(runs)
    ports = build.network.inputs
    vectors = [[values(to_numpy(port.element), port.shape, random) for port in ports] for _ in range(runs)]
    return build.run(vectors, layers=False, resets=False)


@pytest.fixture(params=CASES, ids=lambda case: " ".join(case))
def built(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, BoardBuild]]:
    name, body = request.param
    board = board_or_skip(name)
    text, options = STATEFUL.get(body, ({**BODIES, **RECURRENT}.get(body, ""), {}))
    artifact = compile_artifact(onnx_file(text, tmp_path), CompileOptions(target=board.target, **options))
    artifact.write(tmp_path / "tree")
    build = BoardBuild(read_tree(tmp_path / "tree"), board)
    yield body, build
    build.close()


@pytest.mark.sample(3)
def test_no_run_exceeds_it(built: tuple[str, BoardBuild]) -> None:
    body, build = built
    slow = build.program.board.name in ("m0", "m3") and body not in BYTES
    runs = FEW_RUNS if slow else RUNS
    few, many = counted(build, 2), counted(build, runs)
    worst = few.worst_case
    assert worst is not None
    assert worst.most is not None or body == "the greatest five of forty", worst.reasons
    if worst.most is None:
        return
    taken = [cycles.most for cycles in many.cycles] if many.cycles else many.instructions
    assert max(taken) <= worst.most
    if not worst.bounded:
        assert len({*few.instructions, *many.instructions}) == 1
    if body in EXACT and build.program.board.name == "m4":
        assert not worst.bounded


@pytest.mark.parametrize("body", STREAMS)
def test_the_bound_of_a_stream_is_near_its_longest_run(body: str, tmp_path: Path) -> None:
    """Some runs copy the window, most do not."""
    board = board_or_skip("qemu:m4")
    options = CompileOptions(target=board.target, streams={"x": 2})
    compile_artifact(onnx_file(STREAMS[body], tmp_path), options).write(tmp_path / "tree")
    with closing(BoardBuild(read_tree(tmp_path / "tree"), board)) as build:
        found = counted(build, RUNS)
    assert found.worst_case is not None
    assert found.worst_case.most is not None, found.worst_case.reasons
    longest = max(cycles.most for cycles in found.cycles)
    assert longest <= found.worst_case.most <= TIGHT * longest
