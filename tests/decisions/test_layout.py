"""Every reason for a layout, on a network in which it decides, and layouts that the user wants."""

from typing import Any

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.decisions.decision import Decision
from s2s.errors import InputError
from support.onnx_text import onnx_model

POOL = "MaxPool <kernel_shape = [2, 2]>"
SAME = "MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]>"
CHAIN = f"(float[1, 16, 8, 8] x) => (float[1, 16, 6, 6] y) {{ [one] a = {POOL} (x) [two] y = {POOL} (a) }}"


def layouts(body: str, target: str = "x86-64-v4", **options: Any) -> list[Decision]:
    decisions = compile_network(onnx_model(body), target=target, **options).decisions
    return [each for each in decisions if each.kind == "layout"]


def layout_of(found: list[Decision], nodes: str) -> tuple[str, str]:
    """The layout of what `nodes` compute, and what is said of blocks of channels."""
    (layout,) = [each for each in found if nodes in each.nodes.split(", ")]
    blocks = layout.candidates[0]
    return layout.chosen, blocks.note if blocks.refused is None else blocks.refused


@pytest.mark.parametrize(
    ("target", "chosen", "reason"),
    [
        ("x86-64-v4", "NCHW16c", "channels 16 fill vectors of 16"),
        ("x86-64-v3", "NCHW8c", "channels 16 fill vectors of 8"),
    ],
)
def test_channels_that_fill_vectors(target: str, chosen: str, reason: str):
    assert layout_of(layouts(CHAIN, target), "one") == (chosen, reason)


def test_half_vectors():
    assert layout_of(layouts(CHAIN.replace("16", "8")), "one") == ("NCHW8c", "channels 8 fill half vectors of 8")


def test_what_belongs_to_the_caller():
    chosen, reason = layout_of(layouts(CHAIN), "two")
    assert chosen == "NCHW"
    assert reason == "output of the network, whose layout is the caller's"


def test_targets_without_vectors_have_no_choice():
    assert layouts(CHAIN, "c") == []


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
            "reads one position in several",
        ),
        (body(16, "y = Flatten (a)"), "graph.reshape"),
        (body(16, f"y = {POOL} (a)", kind="uint8"), "computes what has no form in vectors"),
    ],
)
def test_refusals(network: str, reason: str):
    chosen, text = layout_of(layouts(network), "one")
    assert chosen == "NCHW"
    assert reason in text


def test_a_single_pixel():
    network = body(16, "b = GlobalMaxPool (a) [three] y = Softmax <axis = 1> (b)")
    assert layout_of(layouts(network), "two") == (
        "NCHW",
        "a single pixel, whose channels lie side by side already",
    )


def test_a_kernel_that_the_input_goes_to_as_well():
    nodes = f"[one] a = {SAME} (x) [two] b = {SAME} (a) [three] y = {POOL} (b)"
    found = layouts(f"(float[1, 16, 8, 8] x) => (float[n] y) {{ {nodes} }}")
    assert "reads an input of the network in the same place" in layout_of(found, "one")[1]


def given(found: list[Decision], nodes: str, chosen: str) -> dict[str, Any]:
    (subject,) = [each.subject for each in found if nodes in each.nodes.split(", ")]
    return {"format": 1, "decisions": [{"kind": "layout", "subject": subject, "chosen": chosen}]}


@pytest.mark.parametrize("chosen", ["NCHW", "NCHW8c"])
def test_another_layout_is_obeyed(chosen: str):
    found = layouts(CHAIN, decisions=given(layouts(CHAIN), "one", chosen))
    assert [(each.chosen, each.by) for each in found if each.nodes == "one"] == [(chosen, "user")]


@pytest.mark.parametrize("chosen", ["NCHW", "NCHW4c"])
def test_another_layout_gives_the_same_numbers(chosen: str):
    image = np.random.default_rng(0).normal(size=(1, 16, 8, 8)).astype(np.float32)
    first = compile_network(onnx_model(CHAIN), target="x86-64-v2")
    found = [each for each in first.decisions if each.kind == "layout"]
    decided = given(found, "one", chosen)
    rows = np.maximum(image[:, :, :-1], image[:, :, 1:])
    pooled = np.maximum(rows[..., :-1], rows[..., 1:])
    rows = np.maximum(pooled[:, :, :-1], pooled[:, :, 1:])
    with compile_network(onnx_model(CHAIN), target="x86-64-v2", decisions=decided) as artifact:
        np.testing.assert_array_equal(artifact.run({"x": image})["y"], np.maximum(rows[..., :-1], rows[..., 1:]))


@pytest.mark.parametrize(
    ("nodes", "chosen", "reason"),
    [
        ("two", "NCHW16c", "output of the network"),
        ("one", "NCHW5c", "do not fill blocks of 5"),
        ("one", "NHWC", "give NCHW, or NCHW with the channels in a block"),
    ],
)
def test_layouts_that_cannot_be(nodes: str, chosen: str, reason: str):
    with pytest.raises(InputError, match=reason):
        layouts(CHAIN, decisions=given(layouts(CHAIN), nodes, chosen))


def test_a_tensor_that_is_needed_in_blocks_cannot_lie_otherwise_alone():
    nodes = " ".join(f"[n{n}] t{n + 1} = {SAME} (t{n})" for n in range(3))
    network = f"(float[1, 32, 8, 8] t0) => (float[n] y) {{ {nodes} [end] y = {POOL} (t3) }}"
    found = layouts(network)
    again = layouts(network, decisions=given(found, "n0", found[0].chosen))
    assert [each.chosen for each in again] == [each.chosen for each in found]
