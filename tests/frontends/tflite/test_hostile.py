"""Damaged files are imported or refused with one clear message; never a traceback, a hang, or a large allocation."""

import resource
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

from benchmarks.mutants import MODELS, Outcome, judge
from s2s.errors import InputError
from s2s.frontends.tflite import import_model, load_model
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from support.tflite_mutants import Seed, mutant, read_seed

NETWORKS = MODELS / "mlperf_tiny"
SECONDS = 10.0
BATCH = 100


def _network() -> bytes:
    weights = np.arange(12, dtype=np.int8).reshape(3, 4)
    tensors = [
        TensorSpec("x", (1, 2, 2, 1), "INT8", scale=0.5, zero_point=3),
        TensorSpec("shape", (2,), data=np.array([1, 4], np.int32)),
        TensorSpec("flat", (1, 4), "INT8", scale=0.5, zero_point=3),
        TensorSpec("w", (3, 4), data=weights, scale=[0.1, 0.2, 0.3], axis=0),
        TensorSpec("b", (3,), data=np.zeros(3, np.int32), scale=[0.05, 0.1, 0.15], axis=0),
        TensorSpec("y", (1, 3), "INT8", scale=0.25),
        TensorSpec("real", (1, 3)),
    ]
    operators = [
        OperatorSpec("RESHAPE", ["x", "shape"], ["flat"], "ReshapeOptions", {"new_shape": [1, 4]}),
        OperatorSpec("FULLY_CONNECTED", ["flat", "w", "b"], ["y"], "FullyConnectedOptions"),
        OperatorSpec("DEQUANTIZE", ["y"], ["real"], "DequantizeOptions"),
    ]
    return model([GraphSpec(tensors, operators, ["x"], ["real"])])


NETWORK = _network()
SEEDS = [Seed("network", NETWORK, ((0, len(NETWORK)),))]


@contextmanager
def bounded_memory(megabytes: int) -> Generator[None]:
    """Let allocations fail that go far beyond what the process has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (megabytes << 20), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def imported(data: bytes) -> Outcome:
    return judge(0, partial(import_model, data))


def check(seeds: list[Seed], first: int, count: int) -> None:
    for number in range(first, first + count):
        name, data = mutant(seeds, number)
        outcome = imported(data)
        assert not outcome.complaint, f"mutant {number} of {name}: {outcome.complaint}"
        assert outcome.seconds < SECONDS, f"mutant {number} of {name}"


@pytest.mark.parametrize("batch", range(5))
def test_mutants_of_a_small_network(batch: int):
    with bounded_memory(1024):
        check(SEEDS, batch * BATCH, BATCH)


@pytest.mark.skipif(not NETWORKS.is_dir(), reason=f"{NETWORKS} is not there")
@pytest.mark.parametrize("batch", range(3))
def test_mutants_of_real_networks(batch: int):
    seeds = [read_seed(path) for path in sorted(NETWORKS.glob("*.tflite"))]
    with bounded_memory(1024):
        check(seeds, batch * BATCH, BATCH)


def test_every_prefix_of_a_file():
    for length in range(0, len(NETWORK), 7):
        assert not imported(NETWORK[:length]).complaint


@pytest.mark.parametrize("number", [2**31 - 1, 2**31, 2**32 - 1, 2**32 - 4])
def test_lengths_beyond_the_file_are_not_believed(number: int):
    """Every aligned number of the file in turn claims to be enormous."""
    with bounded_memory(256):
        for at in range(0, len(NETWORK) - 4, 4):
            damaged = NETWORK[:at] + number.to_bytes(4, "little") + NETWORK[at + 4 :]
            outcome = imported(damaged)
            assert not outcome.complaint, f"{number} at {at}: {outcome.complaint}"


def test_other_files_are_told_apart():
    with pytest.raises(InputError, match=r"^model: is no TFLite model \(it lacks the identifier TFL3\); give"):
        load_model(b"PK\x03\x04 something else")
