"""A difference that the prover reports comes with an input that shows it, where one of the drawn inputs does."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.prove_planted import outputs_of
from s2s.api import compile as compile_network
from s2s.prove.atoms import Atoms
from s2s.prove.functions import Table
from s2s.prove.pairs import pair_of
from s2s.prove.proof import prove_tree
from s2s.prove.rows import rows_of
from s2s.prove.witness import DRAWS, Drawn
from support.planted_bugs import BUGS, with_bug
from support.proved_networks import quantised_network

SHOWN = re.compile(
    r"differ; (?P<place>[\[\]\d]+) is (?P<c>-?\d+), in the model (?P<model>-?\d+), .* seed (?P<seed>\d+)"
)


def drawn(seed: int, size: int) -> np.ndarray:
    """The input that a reason names by its seed."""
    return np.random.default_rng(seed).integers(-128, 128, size).astype(np.int8)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("witness")
    model = folder / "small.tflite"
    model.write_bytes(quantised_network())
    return model, compile_network(model, target="c").write(folder / "tree")


def test_the_input_that_is_named_shows_the_bug(network: tuple[Path, Path], tmp_path: Path):
    model, tree = network
    wrong = with_bug(tree, BUGS["wrong shift"], tmp_path / "tree")
    reasons = [SHOWN.search(kernel.reason) for kernel in prove_tree(model, wrong).kernels]
    seeds = [int(shown["seed"]) for shown in reasons if shown]
    assert seeds
    inputs = np.stack([drawn(seed, 90) for seed in seeds])
    in_c, sound = outputs_of(wrong, inputs), outputs_of(tree, inputs)
    assert in_c is not None
    assert np.any(in_c != sound, axis=1).all()


def test_a_difference_that_no_input_shows_says_so(network: tuple[Path, Path], tmp_path: Path):
    model, tree = network
    proof = prove_tree(model, with_bug(tree, BUGS["missing saturation"], tmp_path / "tree"))
    assert proof.wrong
    assert [kernel for kernel in proof.kernels if f"none of {DRAWS} inputs that were drawn shows it" in kernel.reason]


def test_atoms_have_the_values_of_their_definitions():
    atoms = Atoms()
    x, y = atoms.inputs("input 0", 2, -128, 127).tolist()
    square = Table(np.arange(-128, 128), np.arange(-128, 128) ** 2, 127)
    sign = Table(np.array([-128, 0]), np.array([-1, 1]), 127)
    (base_x, base_y), _ = atoms.numbered(rows_of(np.array([[x], [y]]), np.ones((2, 1), np.int64)))
    squared, _, _ = atoms.function(base_x, atoms.table(square))
    side, _, _ = atoms.function(base_y, atoms.table(sign))
    negated = Table(square.starts, -square.values, 127)
    values = {"x": x, "y": y, "squared": squared, "side": side}
    values["greatest"] = atoms.maximum([x, y], "max")
    values["least"] = atoms.maximum([x, y], "min")
    values["product"] = atoms.product(x, y)
    values["pair"] = atoms.pair(base_x, base_y, pair_of([square, negated], None, sign, atoms.cases(side)))
    drawn_values = Drawn(atoms)

    def of(name: str) -> np.ndarray:
        computed = drawn_values.sum_of(np.array([values[name]]), np.ones(1, np.int64), 0)
        assert computed is not None
        return computed

    a, b = np.array([drawn(seed, 2) for seed in range(DRAWS)], np.int64).T
    assert of("x").tolist() == a.tolist()
    assert of("squared").tolist() == (a**2).tolist()
    assert of("greatest").tolist() == np.maximum(a, b).tolist()
    assert of("least").tolist() == np.minimum(a, b).tolist()
    assert of("product").tolist() == (a * b).tolist()
    first, second = atoms.cases(side)
    negative_first = np.where(b < 0, 1, -1) * (1 if first < 0 else -1)
    assert np.array_equal(of("pair"), a * a * negative_first)
    assert second != first


def test_memory_that_nothing_wrote_is_no_input():
    atoms = Atoms()
    x = int(atoms.inputs("input 0", 1, -128, 127)[0])
    unknown = atoms.new(("unknown", "the arena", 2), -128, 127)
    both = atoms.product(x, unknown)
    assert Drawn(atoms).sum_of(np.array([x, both]), np.ones(2, np.int64), 0) is None
    assert Drawn(atoms).sum_of(np.array([x, both]), np.array([1, 0]), 0) is not None
