"""Random networks through C, against what their operations mean, for several targets and schedules."""

import numpy as np
import pytest

from s2s.targets import get_target
from s2s.verify.toolchain import accepts_flags, default_compiler
from support.compiled import compiled, differences
from support.random_networks import SHAPE
from support.seeded_networks import seeded_networks

INPUT = np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)
BATCHES = [range(start, start + 12) for start in (0, 12, 24)]
"""Networks are compiled a dozen at a time: starting a C compiler takes longer than one network does."""


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("target", "schedule"), [("c", "default"), ("c", "reference"), ("host", "default"), ("x86-64-v2", "default")]
)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_random_networks_keep_their_numbers(seeds: range, target: str, schedule: str):
    if not accepts_flags((*default_compiler(), *get_target(target).cflags)):
        pytest.skip(f"this machine does not compile for {target}")
    module, weights = seeded_networks(seeds)
    with compiled(module, weights, target=target, schedule=schedule) as artifact:
        assert differences(artifact, module, [INPUT], [f"seed {seed}" for seed in seeds], weights) == {}
