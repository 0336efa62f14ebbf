"""The one description of inputs, outputs and the functions of a network: read back whole, and in one order."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import f32, i8

from s2s.artifact import compile_artifact
from s2s.c_syntax.interface import Interface, Port, Quantisation, StateInfo, Threads, named_ports
from s2s.emit.read_tree import read_tree
from s2s.options import CompileOptions
from s2s.types.interface import ModelTensor
from s2s.types.sizes import SizeRange
from support.onnx_text import onnx_model

OTHERS: dict[str, Any] = {
    "name": "in:0",
    "element": i8,
    "shape": (3, 5),
    "layout": "N, C",
    "quantisation": Quantisation(0.5, -3),
    "offset": 64,
    "model": ModelTensor("int4", (3, 10)),
    "varies": ("", "width"),
    "texts": ("no", "yes"),
    "identifier": "in_0",
}
"""For each property another value than that of `PLAIN`."""
PLAIN = Port("x", f32, (3, 4), identifier="x")


def test_every_property_of_a_port_is_in_the_record_of_a_tree() -> None:
    assert list(OTHERS) == [each.name for each in fields(Port)]
    for name, value in OTHERS.items():
        port = replace(PLAIN, **{name: value})
        assert port != PLAIN
        assert Port.of(json.loads(json.dumps(port.as_dict()))) == port


@pytest.mark.parametrize(
    ("body", "options"),
    [
        ("(float[3] x, float[3] other) => (float[3] y) { y = Add (x, other) }", {}),
        ("(float[n, 4] x) => (float[n, 4] y) { y = Softmax <axis = 1> (x) }", {"dims": {"n": "1..16"}}),
        ("(float[4] x, float[4] h) => (float[4] y, float[4] g) { y = Add (x, h) g = Relu (y) }", {"states": ["h=g"]}),
        ("(float[0, 2] e, bool[2] x) => (bool[2] y, float[0, 2] z) { y = Not (x) z = Relu (e) }", {}),
        ("(float[64, 64] x) => (float[64, 64] y) { y = Relu (x) }", {"threads": 2, "target": "host"}),
        ("(float[4] x) => (float[4] y) { y = Relu (x) }", {"profile": "misra", "io": "arena"}),
        ("(float[4] x) => (float[4] y) { y = Relu (x) }", {"executor": "graph"}),
    ],
)
def test_the_interface_is_read_back_from_a_tree(body: str, options: dict[str, Any], tmp_path: Path) -> None:
    given: dict[str, Any] = {"target": "c", **options}
    artifact = compile_artifact(onnx_model(body), CompileOptions(**given))
    read = read_tree(artifact.write(tmp_path / "net")).network(artifact.name)
    info = artifact.info
    assert read == Interface(**{each.name: getattr(info, each.name) for each in fields(Interface)})


def interface(**more: Any) -> Interface:
    inputs, outputs = named_ports([Port("x", f32, (4,)), Port("pool", f32, (4,))], [Port("y", f32, (4,))])
    return Interface(name="net", inputs=inputs, outputs=outputs, arena_size=64, arena_align=64, **more)


def test_calls_and_prototypes_have_one_order() -> None:
    names = ["x", "pool", "y"]
    assert interface().run(["arena"], names) == "net_run(arena, x, pool, y)"
    everything = interface(
        threads=Threads(2, "pthreads"), sizes={"n": SizeRange(1, 4)}, states=(StateInfo("h", f32, (4,), 0),), loaded=8
    )
    assert everything.run(["arena"], names, sizes="&sizes") == "net_run(arena, &pool, &sizes, x, pool, y)"
    assert everything.arguments([0], [3, 4, 5], weights=-1, pool=1, sizes=2) == [0, 1, 2, 3, 4, 5]
    pointers = ", ".join(["void *"] * 6)
    assert everything.prototypes() == f"int net_run({pointers}); int net_reset(void *); int net_load(void *);"
