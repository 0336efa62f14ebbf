"""Every reason that `s2s inspect --why-layout` gives, on a network in which it decides."""

import json
from pathlib import Path

import pytest

from s2s.cli.main import run
from s2s.options import CompileOptions
from s2s.report.reasons import BEFORE, Reasons, explain
from support.onnx_text import onnx_file, onnx_model

POOL = "MaxPool <kernel_shape = [2, 2]>"
SAME = "MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]>"
CHAIN = f"(float[1, 16, 8, 8] x) => (float[1, 16, 6, 6] y) {{ [one] a = {POOL} (x) [two] y = {POOL} (a) }}"


def reasons_of(body: str, target: str = "x86-64-v4") -> Reasons:
    return explain(onnx_model(body), CompileOptions(target=target))


def layout_of(found: Reasons, nodes: str) -> tuple[int, str]:
    """The block of what `nodes` compute, and the reason."""
    (layout,) = [each for each in found.tensors if nodes in (each.nodes, each.name)]
    return layout.block, "; ".join(layout.reasons)


@pytest.mark.parametrize(
    ("target", "block", "reason"),
    [
        ("x86-64-v4", 16, "channels 16 fill vectors of 16"),
        ("x86-64-v3", 8, "channels 16 fill vectors of 8"),
        ("c", 0, "the target has no vectors"),
    ],
)
def test_channels_that_fill_vectors(target: str, block: int, reason: str):
    assert layout_of(reasons_of(CHAIN, target), "one") == (block, reason)


def test_half_vectors():
    found = reasons_of(CHAIN.replace("16", "8"))
    assert layout_of(found, "one") == (8, "channels 8 fill half vectors of 8")


@pytest.mark.parametrize("nodes", ["x", "two"])
def test_what_belongs_to_the_caller(nodes: str):
    block, reason = layout_of(reasons_of(CHAIN), nodes)
    assert block == 0
    assert reason.endswith("put of the network, whose layout is the caller's")


def body(channels: int, second: str, shape: str = "n", more: str = "", kind: str = "float") -> str:
    """A pool, and what reads its result."""
    given = f"({kind}[1, {channels}, 8, 8] x{more})"
    return f"{given} => ({kind}[{shape}] y) {{ [one] a = {POOL} (x) [two] {second} }}"


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (body(3, f"y = {POOL} (a)"), "channels 3 leave too much of vectors of 16, and of half ones, unused"),
        (body(24, f"y = {POOL} (a)"), "cannot fill up its last block, as what it reads has none"),
        (body(16, "y = ReduceMax <axes = [3], keepdims = 0> (a)"), "@reduce_max reduces the last dimension alone"),
        (body(16, "y = Gather <axis = 2> (a, i)", more=", int64[3] i"), "@gather computes with positions"),
        (
            body(16, f"b = ConvTranspose <strides = [2, 2]> (a, w) y = {POOL} (b)", more=", float[16, 16, 2, 2] w"),
            "reads at every so many positions",
        ),
        (body(16, "y = Flatten (a)"), "graph.reshape"),
        (body(16, f"y = {POOL} (a)", kind="uint8"), "computes what has no form in vectors"),
    ],
)
def test_refusals(network: str, reason: str):
    block, text = layout_of(reasons_of(network), "one")
    assert block == 0
    assert reason in text


def test_a_single_pixel():
    network = body(16, "b = GlobalMaxPool (a) [three] y = Softmax <axis = 1> (b)")
    assert layout_of(reasons_of(network), "two") == (0, "a single pixel, whose channels lie side by side already")


def test_no_image():
    found = reasons_of("(float[4, 4] x) => (float[4, 4] y) { [one] a = Softmax (x) [two] y = Softmax <axis = 0> (a) }")
    assert layout_of(found, "one") == (0, "rank 2, no image")


def test_a_kernel_that_the_input_goes_to_as_well():
    nodes = f"[one] a = {SAME} (x) [two] b = {SAME} (a) [three] y = {POOL} (b)"
    found = reasons_of(f"(float[1, 16, 8, 8] x) => (float[n] y) {{ {nodes} }}")
    assert "reads an input of the network in the same place" in layout_of(found, "one")[1]
    assert layout_of(found, "two")[1].startswith("goes with @max_pool")


def schedule_of(found: Reasons, kernel: str) -> tuple[str, tuple[str, ...]]:
    (reason,) = [each for each in found.kernels if each.kernel == kernel]
    return reason.decided_by, reason.candidates


def test_schedules_show_what_was_compared():
    by, candidates = schedule_of(reasons_of(CHAIN), "max_pool_2x2")
    assert by == "the cheapest dimension"
    assert any(text.startswith("scalars: ") for text in candidates)


def test_schedules_of_a_target_without_vectors():
    assert "no vectors: the target has no vectors" in schedule_of(reasons_of(CHAIN, "c"), "max_pool_2x2")[1]


def test_schedules_of_what_vectors_cannot_do():
    (kernel,) = reasons_of("(int64[64] x) => (int64[64] y) { y = Mul (x, x) }").kernels
    assert "no vectors: computes what has no form in vectors" in kernel.candidates


def test_schedules_along_uneven_steps():
    found = reasons_of("(float[4, 6] x) => (float[12, 6] y) <int64[2] r = {3, 1}> { y = Tile (x, r) }")
    assert any("does not move in equal steps" in text for each in found.kernels for text in each.candidates)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = onnx_file(CHAIN, tmp_path)
    assert run(["inspect", str(file), "--why-layout", "--target", "x86-64-v4"]) == 0
    shown = capsys.readouterr().out
    assert "1×1×7×7×16  one" in shown
    assert "decided by the cheapest dimension" in shown
    assert run(["inspect", str(file), "--why-layout", "--target", "x86-64-v3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tensors"][1]["block"] == 8
    assert {each["decided_by"] for each in found["kernels"]} <= {"the cheapest dimension", BEFORE}


def test_a_target_without_a_question_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["inspect", str(onnx_file(CHAIN, tmp_path)), "--target", "c"]) == 2
    assert "--why-layout" in capsys.readouterr().err
