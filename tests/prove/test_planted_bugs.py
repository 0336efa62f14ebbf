"""Bugs planted into emitted C, constants and memory plan: the prover finds each of them.

`python -m benchmarks.prove_planted` says of each how many random inputs show it.
"""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.prove_planted import outputs_of, rounds_that_find, shown_by
from s2s.api import compile as compile_network
from s2s.prove.proof import Proof, prove_tree
from support.planted_bugs import BUGS, RUN, Bug, with_bug
from support.proved_networks import quantised_network


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("planted")
    model = folder / "small.tflite"
    model.write_bytes(quantised_network())
    return model, compile_network(model, target="c").write(folder / "tree")


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str, network: tuple[Path, Path], tmp_path: Path):
    model, tree = network
    proof: Proof = prove_tree(model, with_bug(tree, BUGS[name], tmp_path / "tree"))
    assert not proof.complete
    assert proof.wrong, f"{proof.outputs}: {proof.reason}"


def test_random_inputs_show_some_bugs(network: tuple[Path, Path], tmp_path: Path):
    """A missing relu shows in most inputs, a missing saturation that few sums need in none of these."""
    _, tree = network
    inputs = np.random.default_rng(0).integers(-128, 128, (50, 90)).astype(np.int8)
    sound = outputs_of(with_bug(tree, Bug(RUN, "", ""), tmp_path / "sound"), inputs)
    assert sound is not None
    obvious, hidden = (
        shown_by(outputs_of(with_bug(tree, BUGS[name], tmp_path / str(number)), inputs), sound)
        for number, name in enumerate(("missing relu", "missing saturation"))
    )
    assert obvious.any()
    assert not hidden.any()


def test_a_random_test_finds_a_bug_that_one_of_its_inputs_shows():
    shown = np.array([False, False, True, False, False, False])
    assert [rounds_that_find(shown, count, 6 // count) for count in (1, 2, 3)] == [1, 1, 1]
    assert rounds_that_find(~shown, 2, 3) == 3
