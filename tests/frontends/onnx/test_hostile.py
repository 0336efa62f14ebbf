"""Damaged models are imported or refused with one clear message; never a traceback, never a hang."""

from random import Random

import onnx
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from support.onnx_mutants import mutate_bytes, mutate_model
from support.onnx_seeds import SEEDS

MODELS = [seed() for seed in SEEDS]
BATCH = 100


def import_or_refuse(source: onnx.ModelProto | bytes) -> None:
    """Import `source`; an error must be of the kinds a user may see, and say place, fact and way out in a line."""
    try:
        import_model(source)
        lines = []
    except InputError as error:
        lines = [str(error)]
    except UnsupportedError as error:
        lines = str(error).split("\n")
    for line in lines:
        assert line.isprintable(), line
        assert ": " in line, line
        assert ";" in line, line


@pytest.mark.parametrize("batch", range(5))
def test_damaged_bytes(batch: int):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        random = Random(seed)
        import_or_refuse(mutate_bytes(random.choice(MODELS).SerializeToString(), random))


@pytest.mark.parametrize("batch", range(10))
def test_damaged_fields(batch: int):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        random = Random(seed)
        import_or_refuse(mutate_model(random.choice(MODELS), random))


def test_every_prefix_of_a_file():
    data = MODELS[1].SerializeToString()
    for length in range(0, len(data), 3):
        import_or_refuse(data[:length])
