"""A small network written at loop level by hand, and its emitted trees."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, f32, i8
from xdsl.parser import Parser

from s2s.c_syntax.interface import Port, Quantisation, named_ports
from s2s.emit.files import Tree
from s2s.emit.info import GoldenVector, NetworkInfo
from s2s.emit.tree import render
from s2s.executor.describe import describe
from s2s.options import WeightForm
from s2s.passes.c.name_temporaries import NameTemporariesPass
from s2s.passes.c.place_constants import PlaceConstantsPass
from s2s.passes.context import CompilerContext
from s2s.passes.loop.lower_to_c import LowerToCPass
from s2s.targets import get_target
from s2s.types.dtypes import Array
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

PORTS: tuple[str, ...] = ("x", "y", "q")
Executor = Literal["aot", "graph"]

TEXT = """
func.func private @scale(%y: memref<32xf32>, %x: memref<32xf32>, %w: memref<32xf32>)
    attributes {doc = "y[i] = x[i] * w[i],  i < 32", kernel} {
  loop.for %i = 0 to 32 step 16 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xf32> -> vector<16xf32>
    %f = loop.load %w[affine_map<(d0) -> (d0)>(%i)] : memref<32xf32> -> vector<16xf32>
    %p = arith.mulf %v, %f : vector<16xf32>
    loop.store %p, %y[affine_map<(d0) -> (d0)>(%i)] : vector<16xf32>, memref<32xf32>
  }
  func.return
}
func.func private @round(%y: memref<32xi8>, %x: memref<32xf32>) attributes {kernel} {
  loop.for %i = 0 to 32 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xf32> -> f32
    %r = math.roundeven %v : f32
    %q = arith.fptosi %r : f32 to i8
    loop.store %q, %y[affine_map<(d0) -> (d0)>(%i)] : i8, memref<32xi8>
  }
  func.return
}
func.func private @add(%y: memref<32xf32>, %x: memref<32xf32>, %q: memref<32xi8>) attributes {kernel} {
  loop.for %i = 0 to 32 {
    %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<32xf32> -> f32
    %b = loop.load %q[affine_map<(d0) -> (d0)>(%i)] : memref<32xi8> -> i8
    %c = arith.sitofp %b : i8 to f32
    %s = arith.addf %v, %c : f32
    loop.store %s, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<32xf32>
  }
  func.return
}
func.func @main(%arena: memref<256xi8> {role = "arena"},
                %y: memref<32xf32> {role = "output", name = "y", shape = array<i64: 4, 8>},
                %q: memref<32xi8> {role = "output", name = "q", shape = array<i64: 32>},
                %x: memref<32xf32> {role = "input", name = "x", shape = array<i64: 4, 8>})
    attributes {arena_size = 256 : i64, arena_align = 64 : i64} {
  %scaled = loop.view %arena[0 : i64] : memref<256xi8> -> memref<32xf32>
  %bytes = loop.view %arena[128 : i64] : memref<256xi8> -> memref<32xi8>
  %w = loop.weight "w" {hash = "0"} : memref<32xf32>
  func.call @scale(%scaled, %x, %w) {node = "mul"} : (memref<32xf32>, memref<32xf32>, memref<32xf32>) -> ()
  func.call @round(%bytes, %scaled) {node = "quantise"} : (memref<32xi8>, memref<32xf32>) -> ()
  func.call @round(%q, %x) {node = "quantise 2"} : (memref<32xi8>, memref<32xf32>) -> ()
  func.call @add(%y, %scaled, %bytes) {node = "add"} : (memref<32xf32>, memref<32xf32>, memref<32xi8>) -> ()
  func.return
}
"""


def weights() -> WeightStore:
    store = WeightStore()
    store.add("w", np.linspace(-3, 3, 32, dtype=np.float32))
    return store


def expected(x: Array) -> dict[str, Array]:
    """What the network computes."""
    scaled = x.reshape(-1) * weights().get("w")
    return {
        "y": (scaled + np.rint(scaled).astype(np.int8)).astype(np.float32).reshape(4, 8),
        "q": np.rint(x.reshape(-1)).astype(np.int8),
    }


def sample(seed: int = 0) -> Array:
    return (np.random.default_rng(seed).standard_normal((4, 8)) * 20).astype(np.float32)


def network(
    executor: Executor = "aot",
    form: WeightForm = "auto",
    target: str = "c",
    names: tuple[str, ...] = PORTS,
    **more: Any,
) -> Tree:
    """The tree of the network; `names` are those of its ports in the model."""
    return emitted(TEXT, executor, form, target, names, **more)


def name_ports(module: ModuleOp, names: tuple[str, ...]) -> None:
    """Give the ports of `main` other names."""
    main = function_named(module, "main")
    assert main is not None
    assert main.arg_attrs is not None
    by_old: dict[str, str] = dict(zip(PORTS, names, strict=True))
    main.arg_attrs = ArrayAttr(
        DictionaryAttr({**port.data, "name": StringAttr(by_old[name.data])}) if isinstance(name, StringAttr) else port
        for port in main.arg_attrs
        for name in [port.data.get("name")]
    )


def emitted(text: str, executor: Executor, form: WeightForm, target: str, names: tuple[str, ...], **more: Any) -> Tree:
    """The tree of a network in text form that has the ports of ours."""
    context = CompilerContext(weights())
    module = Parser(context, text).parse_module()
    name_ports(module, names)
    module.verify()
    graph = describe(module, "net", context.weights) if executor == "graph" else None
    LowerToCPass(prefix="net", executor=executor).apply(context, module)
    NameTemporariesPass().apply(context, module)
    PlaceConstantsPass(form=form).apply(context, module)
    module.verify()
    x = sample()
    wanted = expected(x)
    inputs, outputs = named_ports(
        [Port(names[0], f32, (4, 8), "row, column")],
        [Port(names[1], f32, (4, 8)), Port(names[2], i8, (32,), quantisation=Quantisation(0.5, 3))],
    )
    fields: Mapping[str, Any] = {
        "name": "net",
        "source": "net.onnx",
        "sha256": "0123456789abcdef" * 4,
        "target": get_target(target),
        "inputs": inputs,
        "outputs": outputs,
        "arena_size": 256,
        "arena_align": 64,
        "arena_lower_bound": 160,
        "executor": executor,
        "graph": graph,
        "golden": (GoldenVector((x,), (wanted["y"], wanted["q"])),),
        **more,
    }
    return render(module, NetworkInfo(**fields), context.weights)
