"""Tests of many expensive cases of which a run takes a sample; which one follows from the commit.

    @pytest.mark.sample(4)
    @pytest.mark.parametrize("board", BOARDS)
    @pytest.mark.parametrize("model", MODELS)

takes four of all cases, and `sample(1, each="model")` one of the cases of each model.

The seed is a hash of the commit that is checked out, so that a red run is red again. S2S_TESTS_SEED=31 repeats the
sample of the run that printed seed 31; S2S_TESTS_SEED=all takes every case. A case that is named on the command line is
always taken.
"""

import os
import random
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

from support.project import ROOT

SEED = "S2S_TESTS_SEED"
EVERY = "all"
MARKER = (
    "sample(count, each=None): of the cases of this test a run takes `count`, and each commit other ones; `each` is a "
    "parameter of the test: `count` cases are taken of each of its values"
)


def choose_seed() -> str:
    """Choose the seed of a run, unless the environment has one; processes that this one starts take the same."""
    if SEED not in os.environ:
        os.environ[SEED] = seed_of_commit(_commit())
    return os.environ[SEED]


def seed_of_commit(commit: str) -> str:
    """The seed of the samples of a commit, by its hash in hexadecimal digits; of no commit, by no digits."""
    return str(zlib.crc32(commit.encode()) % 1_000_000)


def _commit() -> str:
    """The hash of the commit that is checked out; nothing in a copy of the sources without git."""
    try:
        asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""


def left_out(tests: Iterable[pytest.Item], seed: str) -> set[pytest.Item]:
    """The tests that a run with `seed` leaves out."""
    cases: dict[tuple[str, str, int], list[pytest.Item]] = defaultdict(list)
    for test in tests:
        marker = test.get_closest_marker("sample")
        if marker is not None and seed != EVERY:
            cases[test.nodeid.partition("[")[0], _value(test, marker.kwargs.get("each")), marker.args[0]].append(test)
    return {
        test
        for (name, value, count), group in cases.items()
        for test in random.Random(f"{seed} {name} {value}").sample(group, max(len(group) - count, 0))
    }


def _value(test: pytest.Item, parameter: str | None) -> str:
    """The value of a parameter in a case of a test, as text."""
    if parameter is None:
        return ""
    function: Any = test
    return str(function.callspec.params[parameter])
