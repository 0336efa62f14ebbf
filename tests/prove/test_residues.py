"""Residues stand for long sums: equal sums and multiples are found again, others are not."""

from pathlib import Path

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.prove import interning, proof
from s2s.prove.atoms import Atoms
from s2s.prove.certificate import WRONG
from s2s.prove.faults import Unprovable
from s2s.prove.interning import Interner
from s2s.prove.proof import prove_tree
from s2s.prove.residues import MAX_WIDTH, MODULI, PRIMES, RESERVED, WORDS, Residues, residues_of
from s2s.prove.values import Form, Lanes
from support.planted_bugs import QDQ_BUGS, with_bug
from support.qdq_networks import qdq_network

TERMS, LANES = 40, 512
RNG = np.random.default_rng(3)
FACTORS = RNG.integers(-128, 128, (LANES, TERMS))


def interner(most: int = 127) -> tuple[Interner, np.ndarray]:
    """An interner whose forms of TERMS atoms are held by residues."""
    atoms = Atoms(by_residues=True)
    ids = atoms.inputs("x", TERMS, -128, most)
    return Interner(atoms, Lanes([("lanes", LANES)])), ids


def form(ids: np.ndarray, factors: np.ndarray) -> Form:
    """sum(factors * ids) in each lane."""
    width = 255 * np.abs(factors).sum(-1)
    return Form(0, ((ids[None], factors),), -width, width)


def test_residues_are_sums_of_the_residues_of_atoms():
    table = Residues(5).upto(100)
    ids, factors = RNG.integers(RESERVED, 100, (3, 1, 6)), RNG.integers(-(2**40), 2**40, (1, 4, 6))
    marks = residues_of(table, [(ids, factors)])
    for i, j, word in np.ndindex(3, 4, WORDS):
        terms = zip(factors[0, j].tolist(), table[ids[i, 0], word].tolist(), strict=True)
        assert marks[i, j, word] == sum(factor * residue for factor, residue in terms) % int(MODULI[word])


def test_a_sum_and_its_multiples_are_one_atom():
    of, ids = interner()
    rows = of.rows(form(ids, FACTORS))
    assert np.all(rows.counts == 1)
    order = RNG.permutation(TERMS)
    again = of.rows(form(ids[order], -3 * FACTORS[:, order]))
    assert np.array_equal(rows.ids, again.ids)
    assert np.all(again.coefficients == -3)


def test_sums_that_differ_by_one_are_different_atoms():
    of, ids = interner()
    rows = of.rows(form(ids, FACTORS))
    other = FACTORS.copy()
    other[:, 7] += 1
    assert not np.any(rows.ids == of.rows(form(ids, other)).ids)


def test_a_multiple_of_a_prime_is_not_taken_for_zero():
    of, ids = interner()
    rows = of.rows(form(ids, FACTORS))
    for prime in PRIMES:
        factors = FACTORS.copy()
        factors[:, 0] += prime
        assert not np.any(rows.ids == of.rows(form(ids, factors)).ids)


def test_sums_that_may_be_multiples_of_two_primes_are_refused():
    of, ids = interner()
    with pytest.raises(Unprovable, match="more than 61 bits"):
        of.rows(Form(0, ((ids[None], FACTORS),), -MAX_WIDTH // 2, MAX_WIDTH // 2 + 1))


def test_a_sum_of_sums_is_the_atom_of_the_whole():
    """Example: 3 (x0 + .. + x39) less the same sum with other factors, both atoms by then."""
    of, ids = interner()
    parts = [form(ids, factors) for factors in (FACTORS, FACTORS[::-1])]
    whole = of.rows(form(ids, 3 * FACTORS - FACTORS[::-1]))
    first, second = (of.rows(part).ids[:, None] for part in parts)
    both = np.concatenate([first, second, np.zeros((LANES, TERMS - 2), np.int64)], axis=1)
    factors = np.array([3, -1] + [0] * (TERMS - 2))
    again = of.rows(Form(0, ((both, factors),), -(1 << 30), 1 << 30))
    assert np.array_equal(whole.ids, again.ids)


def test_mistakes_are_less_likely_than_two_to_the_minus_64():
    drawn = Residues()
    drawn.forms = 10_000_000
    assert drawn.error_bits >= 64


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Residues stand for sums of a small network, too."""
    monkeypatch.setattr(proof, "MAX_EXACT", 0)
    monkeypatch.setattr(interning, "MANY", 1 << 8)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("residues")
    model = folder / "qdq.onnx"
    model.write_bytes(qdq_network())
    return model, compile_network(model, target="c").write(folder / "tree")


@pytest.mark.usefixtures("held")
def test_a_network_is_proved_by_residues(network: tuple[Path, Path]):
    proved = prove_tree(*network)
    assert {kernel.node: kernel.reason for kernel in proved.kernels if kernel.reason} == {}
    assert proved.complete
    assert proved.residues["forms"] > 0
    assert proved.residues["error bits"] >= 64


@pytest.mark.sample(3)
@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("name", QDQ_BUGS)
def test_a_planted_bug_is_found_by_residues(name: str, network: tuple[Path, Path], tmp_path: Path):
    proved = prove_tree(network[0], with_bug(network[1], QDQ_BUGS[name], tmp_path / "tree"))
    assert not proved.complete
    told = proved.wrong or any("by the residues" in kernel.reason for kernel in proved.kernels)
    assert told or name == "sums read as floats", WRONG
