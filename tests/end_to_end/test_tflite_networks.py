"""Random int8 networks: the graph gives the bits of TFLite-Micro, and the C gives those of the graph."""

import numpy as np
import pytest

from s2s import api
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.fuzz.tflite.engines import run_micro
from s2s.options import Executor
from s2s.targets.flags import STANDARD
from support.tflite_checks import run_imported, same_as_micro
from support.tflite_networks import random_network

BATCH = 20


@pytest.mark.parametrize("batch", range(3))
def test_the_graph_agrees_with_tflite_micro(batch: int):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        network = random_network(seed)
        same_as_micro(network.data, network.inputs)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("seed", "target", "executor"),
    [
        *(
            (1000, "c", "aot"),
            (1001, "c", "graph"),
            (1002, "host", "aot"),
            (2007, "cortex-m4", "aot"),
            (5204, "cortex-m4", "aot"),
        ),
        *((1004, "cortex-m0", "aot"), (3110, "cortex-m55", "aot")),
    ],
)
def test_the_c_agrees_with_the_graph(seed: int, target: str, executor: Executor):
    """On this machine: C for a small core falls back to plain C99."""
    network = random_network(seed)
    with api.compile(network.data, target=target, executor=executor) as artifact:
        own = artifact.info.target.cflags if target == "host" else ()
        compiled = artifact.loaded(flags=(*STANDARD, "-O1", *own))
        names = [port.name for port in compiled.inputs]
        found = compiled.run(dict(zip(names, network.inputs, strict=True)))
    for got, wanted in zip(found.values(), run_imported(network.data, network.inputs), strict=True):
        np.testing.assert_array_equal(got.reshape(wanted.shape), wanted)


def test_rows_of_one_number_are_multiplied_on_a_core_with_vectors():
    """Found by `s2s fuzz --format tflite`: a reduction of one step has no groups of 16."""
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((9, 1), (16, 1)))
    operands = [
        TensorSpec("x", x.shape, "INT8", scale=0.2, zero_point=5),
        TensorSpec("w", w.shape, data=w, scale=0.01),
        TensorSpec("b", (16,), data=rng.integers(-500, 500, 16).astype(np.int32), scale=0.002),
    ]
    y = TensorSpec("y", (9, 16), "INT8", scale=0.15, zero_point=-128)
    data = single("FULLY_CONNECTED", operands, [y], "FullyConnectedOptions")
    with api.compile(data, target="cortex-m55") as artifact:
        [found] = artifact.loaded(flags=(*STANDARD, "-O1")).run({"x": x}).values()
    np.testing.assert_array_equal(found, run_micro(data, [x])[0])
