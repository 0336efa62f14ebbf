"""Rows that the caller hands over, any number at a time, give the outputs of the ordinary tree, bit for bit."""

import re
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, f32, i8
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from s2s import api
from s2s.artifact import Artifact
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.dialects.graph.traits import set_provenance
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.model import GraphModel
from s2s.interpret.graph import run_graph
from s2s.interpret.loop import run_loop
from s2s.interpret.tensor import run_tensor
from s2s.options import CompileOptions
from s2s.types.dtypes import Array, tensor_type
from s2s.types.shapes.window import CHANNELS_FIRST, CHANNELS_LAST, Layout
from s2s.types.sliding import Pushed
from s2s.types.weights import WeightStore
from s2s.verify.guarded import Guarded
from support.compiled import compiled, quickly_loaded, run_c
from support.project import SHARED
from support.row_networks import INPUT, ROWS, RowNetwork

PUSH = Pushed(INPUT, ROWS)
VWW = SHARED / "models" / "mlperf_tiny" / "vww_96_int8"
OK, NULL, RANGE, STATE = 0, -1, -18, -14


class Frames:
    """The functions of rows of a network in this process."""

    def __init__(self, artifact: Artifact, axis: int = ROWS) -> None:
        self.network, self.axis = quickly_loaded(artifact), axis
        self.name = self.network.name
        outputs = ", ".join("void *" for _ in self.network.outputs)
        self.network.ffi.cdef(
            f"int {self.name}_push(void *, void *, int32_t); int {self.name}_finish(void *, {outputs});"
        )
        self.arena = Guarded(artifact.info.arena_size, artifact.info.arena_align)
        self.outputs = [np.zeros(port.shape, port.dtype) for port in self.network.outputs]

    def call(self, function: str, *values: object) -> int:
        """Call a function with the arena and `values`, and return the status."""
        return getattr(self.network.lib, f"{self.name}_{function}")(self._pointer(self.arena.memory), *values)

    def push(self, rows: Array) -> int:
        """Hand over rows, one after the other, in memory that is overwritten afterwards."""
        held = np.moveaxis(rows, self.axis, 0).copy()
        status = self.call("push", self._pointer(held), len(held))
        held[:] = 77
        return status

    def finish(self) -> int:
        """Compute the outputs."""
        return self.call("finish", *map(self._pointer, self.outputs))

    def frame(self, image: Array, rng: np.random.Generator) -> list[Array]:
        """Return the outputs for an image, whose rows are handed over a random number at a time."""
        assert self.call("reset") == OK
        row = 0
        while row < image.shape[self.axis]:
            end = min(row + int(rng.integers(0, 5)), image.shape[self.axis])
            assert self.push(image.take(range(row, end), self.axis)) == OK
            row = end
        assert self.finish() == OK
        return [each.copy() for each in self.outputs]

    def _pointer(self, memory: Array) -> object:
        return self.network.ffi.cast("void *", memory.ctypes.data)


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("integers", "options"),
    [
        (True, {"target": "c"}),
        (True, {"target": "cortex-m4"}),
        (True, {"target": "host"}),
        (False, {"target": "c", "schedule": "reference"}),
        (False, {"target": "cortex-m4"}),
    ],
    ids=["int8-c", "int8-cortex-m4", "int8-host", "float-plain", "float-cortex-m4"],
)
def test_rows_give_the_outputs_of_the_ordinary_tree(seed: int, integers: bool, options: dict[str, Any]) -> None:
    """Bit for bit, but for the order in which schedules of floats may sum the taps of a window."""
    network = RowNetwork(seed, element=i8 if integers else f32, layers=6)
    images = [network.image() for _ in range(2)]
    allowed = 0.0 if integers or "schedule" in options else 1e-5
    with compiled(network.module.clone(), **options) as ordinary:
        expected = [run_c(ordinary, [image]) for image in images]
    with compiled(network.module, push=PUSH, **options) as artifact:
        frames, rng = Frames(artifact), np.random.default_rng(seed)
        for image, wanted in zip(images, expected, strict=True):
            for found in (frames.frame(image, rng), run_c(artifact, [image])):
                for mine, theirs in zip(found, wanted, strict=True):
                    np.testing.assert_allclose(mine, theirs, allowed, allowed * np.abs(theirs).max(initial=0))
        assert frames.arena.is_intact()


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("integers", "target"), [(True, "c"), (True, "cortex-m4"), (True, "host"), (False, "c"), (False, "cortex-m4")]
)
def test_rows_of_channels_first_give_the_outputs_of_the_ordinary_tree(seed: int, integers: bool, target: str) -> None:
    network = RowNetwork(seed, element=i8 if integers else f32, layers=6, layout=CHANNELS_FIRST)
    image, allowed = network.image(), 0.0 if integers else 1e-5
    with compiled(network.module.clone(), target=target) as ordinary:
        expected = run_c(ordinary, [image])
    with compiled(network.module, push=Pushed(INPUT, network.rows), target=target) as artifact:
        frames, rng = Frames(artifact, network.rows), np.random.default_rng(seed)
        for found in (frames.frame(image, rng), run_c(artifact, [image])):
            for mine, theirs in zip(found, expected, strict=True):
                np.testing.assert_allclose(mine, theirs, allowed, allowed * np.abs(theirs).max(initial=0))
        assert frames.arena.is_intact()


@pytest.mark.parametrize("layout", [CHANNELS_FIRST, CHANNELS_LAST])
def test_columns_give_the_outputs_of_the_ordinary_tree(layout: Layout) -> None:
    """Any axis of an image has rows, if no operator reads all of them for each of its elements."""
    network = RowNetwork(3, element=i8, layers=6, layout=layout)
    image = network.image()
    with compiled(network.module.clone(), target="c") as ordinary:
        expected = run_c(ordinary, [image])
    with compiled(network.module, push=Pushed(INPUT, network.rows + 1), target="c") as artifact:
        found = Frames(artifact, network.rows + 1).frame(image, np.random.default_rng(0))
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("layout", [CHANNELS_FIRST, CHANNELS_LAST])
@pytest.mark.parametrize("integers", [True, False], ids=["int8", "float"])
def test_levels_agree(seed: int, integers: bool, layout: Layout) -> None:
    network = RowNetwork(seed, element=i8 if integers else f32, layers=6, layout=layout)
    image = network.image()
    expected = run_graph(network.module, [image], WeightStore())
    push = Pushed(INPUT, network.rows)
    compilation = Compilation(GraphModel(network.module, {}, "net"), CompileOptions(target="c", push=push))
    scheduled, planned = compilation.at("tensor"), compilation.at("memory")
    assert any(isinstance(op, graph.LineBuffersOp) for op in scheduled.module.walk())
    for results in (
        run_tensor(scheduled.module, [image], scheduled.weights),
        run_loop(planned.module, [image], planned.weights),
    ):
        for found, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-2)


def test_calls_out_of_order_are_refused() -> None:
    network = RowNetwork(1, element=i8, layers=4)
    image = network.image()
    with compiled(network.module, target="c", push=PUSH) as artifact:
        frames = Frames(artifact)
        assert frames.call("reset") == OK
        assert frames.push(image[:, :2]) == OK
        assert frames.finish() == STATE
        assert frames.push(image[:, 1:]) == RANGE
        assert frames.call("push", frames.network.ffi.new("char[8]"), -1) == RANGE
        assert frames.push(image[:, 2:]) == OK
        assert frames.push(image[:, :1]) == RANGE
        assert frames.finish() == OK
        assert frames.finish() == STATE
        assert frames.push(image[:, :1]) == RANGE
        assert frames.call("push", frames.network.ffi.NULL, 1) == frames.call("finish", frames.network.ffi.NULL) == NULL


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"push": "y:1"}, "the model has no input 'y'; its inputs are 'image'"),
        ({"push": "image:7"}, "the input has 4 axes; give one from 0 to 3"),
        ({"push": "image:3"}, "graph.conv reads all rows at once"),
        ({"push": "image"}, "is not of the form INPUT:AXIS"),
        ({"push": PUSH, "executor": "graph"}, "use executor aot"),
        ({"push": PUSH, "threads": 2}, "one thread"),
        ({"push": PUSH, "profile": "misra"}, "leave --profile out"),
        ({"push": PUSH, "poison": True}, "leave --poison out"),
        ({"push": PUSH, "ram_budget": "min"}, "leave --ram-budget"),
        ({"push": PUSH, "io": "arena"}, "leave --io out"),
    ],
    ids=str,
)
def test_what_cannot_be_pushed_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((InputError, UnsupportedError), match=re.escape(words)):
        compiled(RowNetwork(2, element=i8, layers=2).module, target="c", **options)


def test_a_network_that_reads_all_rows_at_once_is_refused_with_its_node() -> None:
    x = tensor_type(i8, (1, 8, 4, 2))
    block = Block(arg_types=[x])
    mean = graph.ReduceMaxOp(block.args[0], axes=[1], keepdims=False)
    set_provenance(mean, ["largest"])
    block.add_ops([mean, ReturnOp(mean.y)])
    func = FuncOp("main", ([x], [mean.y.type]), Region(block))
    func.arg_attrs = ArrayAttr([DictionaryAttr({"name": StringAttr(INPUT)})])
    func.res_attrs = ArrayAttr([DictionaryAttr({"name": StringAttr("y")})])
    with pytest.raises(UnsupportedError, match="--push image:1: largest reads all rows at once"):
        compiled(ModuleOp([func]), target="c", push=PUSH)


@pytest.mark.skipif(not VWW.with_suffix(".tflite").exists(), reason="the shared models are not there")
def test_vww_runs_on_rows_in_16_kib() -> None:
    with np.load(f"{VWW}_golden.npz") as golden:
        images, expected = golden["x"], golden["y"]
    with api.compile(VWW.with_suffix(".tflite"), target="cortex-m4", push="input_1_int8:1") as artifact:
        frames, rng = Frames(artifact), np.random.default_rng(0)
        assert artifact.info.arena_size + frames.outputs[0].nbytes <= 16_384
        for image, wanted in zip(images, expected, strict=True):
            [found] = frames.frame(image, rng)
            np.testing.assert_array_equal(found, wanted)
