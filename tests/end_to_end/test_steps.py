"""A run in steps computes the bits of a run in one piece, in the same memory, with no step above its bound."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, i8

from s2s.artifact import Artifact, compile_artifact
from s2s.c_syntax.interface import Port
from s2s.errors import InputError, UnsupportedError
from s2s.interpret.loop import run_loop
from s2s.options import CompileOptions
from s2s.testing.decoders import Config, make_model, states
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore
from s2s.verify.guarded import Guarded
from support.compiled import compiled, quickly_loaded
from support.onnx_text import onnx_model
from support.option_changes import causal, image, recurrent
from support.row_networks import RowNetwork
from support.seeded_networks import seeded_networks

OK, MORE, NULL, STATE = 0, 2, -1, -14
LEAST = re.compile(r"give --steps (\d+)macs or more")


@dataclass
class Run:
    """A run in steps in this process."""

    artifact: Artifact
    arena: Guarded = field(init=False)

    def __post_init__(self) -> None:
        self.network, info = quickly_loaded(self.artifact), self.artifact.info
        self.name = self.network.name
        self.arena = Guarded(info.arena_size, info.arena_align)
        self.outputs: list[Array] = []
        self.inputs: list[Array] = []
        self.memory = np.zeros(64 + 8 * len(info.ports), np.uint8)
        self.arenas = [self.arena.memory[pool.offset :] for pool in info.pools] or [self.arena.memory]
        pointers = ", ".join(["void *"] * (1 + len(self.arenas) + bool(info.sizes) + len(info.ports)))
        self.network.ffi.cdef(
            f"int {self.name}_begin({pointers}); int {self.name}_step(void *); int {self.name}_abort(void *);",
            override=True,
        )

    def begin(self, inputs: Sequence[Array], sizes: Sequence[int] = ()) -> int:
        ports, memory = self.artifact.info, self.arena.memory
        self.inputs = [self._place(port, memory) for port in ports.inputs]
        self.outputs = [self._place(port, memory) for port in ports.outputs]
        for mine, theirs in zip(self.inputs, inputs, strict=True):
            mine[...] = theirs
        self.dims = np.array(sizes, np.int32)
        handed = [self.memory, *self.arenas, *([self.dims] if sizes else []), *self.inputs, *self.outputs]
        return self._function("begin")(*map(self._pointer, handed))

    @staticmethod
    def _place(port: Port, memory: Array) -> Array:
        """The memory of an input or output: in the arena, where it has a place there."""
        if port.offset is None:
            return np.zeros(port.shape, port.dtype)
        return memory[port.offset : port.offset + port.size].view(port.dtype).reshape(port.shape)

    def step(self) -> int:
        return self._function("step")(self._pointer(self.memory))

    def abort(self) -> int:
        return self._function("abort")(self._pointer(self.memory))

    def reset(self) -> int:
        return self._function("reset")(self._pointer(self.arena.memory))

    def finish(self) -> int:
        """Do all steps that are left, and return their number."""
        count = 1
        while (status := self.step()) == MORE:
            count += 1
        assert status == OK
        return count

    def _function(self, name: str) -> Any:
        return getattr(self.network.lib, f"{self.name}_{name}")

    def _pointer(self, memory: Array) -> object:
        return self.network.ffi.cast("void *", memory.ctypes.data)


def sample(artifact: Artifact, seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [
        rng.integers(0, 4, port.shape).astype(port.dtype)
        if port.dtype.kind in "iu"
        else rng.standard_normal(port.shape).astype(port.dtype)
        for port in artifact.info.inputs
    ]


Compile = Callable[..., Artifact]
"""Compiles one network with some options."""


def finest(compile: Compile, **options: Any) -> Artifact:
    """Compile with the least bound that a network can be cut to, as the refusals of lower ones name it."""
    bounds = [1]
    while len(bounds) < 40:
        try:
            return compile(steps=f"{bounds[-1]}macs", **options)
        except UnsupportedError as error:
            bounds += [int(least) for least in LEAST.findall(str(error))]
        assert bounds[-1] > max(bounds[:-1], default=0)
    raise AssertionError(f"still refused with --steps {bounds[-1]}macs")


def check(compile: Compile, *, runs: int = 1, sizes: Sequence[int] = (), **options: Any) -> None:
    """Compare runs in steps, at three bounds, with runs in one piece."""
    with compile(**options) as ordinary:
        network = quickly_loaded(ordinary)
        stream = network.stream() if ordinary.info.states else network
        names = [port.name for port in network.inputs]
        given = [sample(ordinary, seed) for seed in range(runs)]
        dims = dict(zip(ordinary.info.sizes, sizes, strict=True))
        expected = [
            list(stream.run(dict(zip(names, _cut(inputs, network.inputs, dims), strict=True))).values())
            for inputs in given
        ]
    with finest(compile, **options) as artifact:
        assert artifact.info.steps is not None
        least = artifact.info.steps.longest
    for bound in (least, 4 * least, 1_000_000_000):
        with compile(steps=(bound, "macs"), **options) as artifact:
            info, run = artifact.info, Run(artifact)
            assert info.steps is not None
            assert info.steps.longest <= bound
            assert info.arena_size == ordinary.info.arena_size
            assert not info.states or run.reset() == OK
            for inputs, wanted in zip(given, expected, strict=True):
                assert run.begin(inputs, sizes) == OK
                assert run.finish() == info.steps.number
                for mine, theirs in zip(_cut(run.outputs, info.outputs, dims), wanted, strict=True):
                    np.testing.assert_array_equal(mine, theirs)
            assert run.arena.is_intact()


def _cut(arrays: Sequence[Array], ports: Sequence[Port], sizes: dict[str, int]) -> list[Array]:
    """The parts of arrays with the greatest sizes that count in a run."""
    return [port.part_of(each.reshape(-1), sizes) for each, port in zip(arrays, ports, strict=True)]


def model(network: Any, **fixed: Any) -> Compile:
    """Compile an ONNX model."""

    def compile(**options: Any) -> Artifact:
        every: dict[str, Any] = {"target": "c", **fixed, **options}
        return compile_artifact(network, CompileOptions(**every))

    return compile


def module_of(network: ModuleOp, weights: WeightStore | None = None) -> Compile:
    """Compile a module."""

    def compile(**options: Any) -> Artifact:
        return compiled(network.clone(), weights, **options)

    return compile


LSTM = """(float[6,1,5] x) => (float[6,{count},1,8] y)
{{ y, h = LSTM <hidden_size = 8, direction = "{direction}"> (x, w, r, b) }}"""


def lstm(direction: str = "forward") -> onnx.ModelProto:
    count, rng = 2 if direction == "bidirectional" else 1, np.random.default_rng(1)
    network = onnx_model(LSTM.format(count=count, direction=direction))
    for name, shape in (("w", (count, 32, 5)), ("r", (count, 32, 8)), ("b", (count, 64))):
        values = rng.normal(size=shape).astype(np.float32)
        network.graph.initializer.append(onnx.numpy_helper.from_array(values, name))
    return network


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ["c", "cortex-m4", "host"])
@pytest.mark.parametrize("seeds", [range(4), range(4, 8)], ids=str)
def test_random_networks(seeds: range, target: str) -> None:
    module, weights = seeded_networks(seeds)
    check(module_of(module, weights), target=target)


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("element", [i8, f32], ids=str)
@pytest.mark.parametrize("options", [{"target": "cortex-m4"}, {"target": "c", "ram_budget": "min"}], ids=str)
def test_random_images(seed: int, element: Any, options: dict[str, Any]) -> None:
    network = RowNetwork(seed, element=element, layers=5)
    if "ram_budget" in options and seed % 2:
        pytest.skip("one of two is enough")
    check(module_of(network.module), **options)


@pytest.mark.parametrize("target", ["c", "cortex-m4"])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_repeated_networks(target: str, direction: str) -> None:
    """Two of them have a number of the repetition each, which are declared where steps are chosen."""
    check(model(lstm(direction), target=target))


def test_state() -> None:
    check(model(recurrent()), runs=3, states={"h": "g"})


@pytest.mark.parametrize("target", ["c", "cortex-m4"])
def test_windows(target: str) -> None:
    check(model(causal(), target=target), runs=9, streams={"x": 2})


def test_sizes_of_the_run() -> None:
    network = onnx_model("(float[N, 4] x) => (float[N, 4] y) { a = Tanh (x) y = Softmax <axis = 0> (a) }")
    for rows in (1, 5, 8):
        check(model(network), dims={"N": (1, 8)}, sizes=[rows])


def test_pools() -> None:
    check(model(image()), pools=["tcm=4KiB", "sram=512KiB"])


@pytest.mark.parametrize("target", ["c", "cortex-m4"])
def test_a_decoder(target: str) -> None:
    config = Config(layers=1, heads=2, kv_heads=1, hidden=48, vocabulary=40)
    check(model(make_model(config), states=states(config), target=target), runs=3)


@pytest.fixture
def artifact() -> Any:
    with compile_artifact(image(), CompileOptions(target="c", steps="2000macs")) as compiled:
        yield compiled


def test_runs_stand_side_by_side(artifact: Artifact) -> None:
    runs = [Run(artifact), Run(artifact)]
    expected: list[list[Array]] = []
    for seed, run in enumerate(runs):
        assert run.begin(sample(artifact, seed)) == OK
        run.finish()
        expected.append([each.copy() for each in run.outputs])
        assert run.begin(sample(artifact, seed)) == OK
    status = [MORE, MORE]
    while MORE in status:
        status = [run.step() for run in runs]
    for run, wanted in zip(runs, expected, strict=True):
        for mine, theirs in zip(run.outputs, wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_calls_out_of_order_are_refused(artifact: Artifact) -> None:
    run, inputs = Run(artifact), sample(artifact)
    null = run.network.ffi.NULL
    assert getattr(run.network.lib, f"{run.name}_step")(null) == NULL
    assert getattr(run.network.lib, f"{run.name}_abort")(null) == NULL
    assert run.begin(inputs) == OK
    assert run.step() == MORE
    assert run.abort() == OK
    assert run.step() == STATE
    assert run.begin(inputs) == OK
    run.finish()
    assert run.step() == STATE


def test_levels_agree() -> None:
    with compile_artifact(lstm(), CompileOptions(target="c", steps="700macs")) as cut:
        [x] = sample(cut)
        planned = cut.compilation.at("memory")
        [found] = run_loop(planned.module, [x], planned.weights)
        run = Run(cut)
        assert run.begin([x]) == OK
        run.finish()
        np.testing.assert_allclose(run.outputs[0].reshape(-1), found, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"steps": "fast"}, "--steps fast: is no bound of a step"),
        ({"steps": "0macs"}, "is no bound of a step"),
        (
            {"steps": "2000cycles", "target": "cortex-m7"},
            "cycles of steps are known for cortex-m0, cortex-m3, cortex-m4, not for cortex-m7",
        ),
        ({"steps": "2000macs", "executor": "graph"}, "leave --executor out"),
        ({"steps": "2000macs", "threads": 2}, "leave --threads out"),
        ({"steps": "2000macs", "profile": "misra"}, "leave --profile out"),
        ({"steps": "2000macs", "poison": True}, "leave --poison out"),
        ({"steps": "10macs"}, "cannot be cut into steps of 10macs: a part of it takes"),
    ],
    ids=str,
)
def test_what_cannot_be_cut_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((InputError, UnsupportedError), match=re.escape(words)):
        model(image())(**options)
