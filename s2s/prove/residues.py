"""Residues: six sums modulo primes that stand for the terms of a long linear form.

Each atom has six random residues r, two from 1 to p - 1 for each prime p of three, the greatest below 2^31. The
residues of sum(k * atom) are sum(k * r) mod p. Sums and multiples of forms are sums and multiples of their residues, so
that a form of 4,608 terms, or the 46,000 products that Winograd's method forms of it, are six numbers. An atom that
stands for a form has the residues of the form: a sum of parts is the whole, whatever parts it is summed of.

A form a is taken to be f times a form b, |f| <= MAX_FACTOR, if its residues are. If it is not, a - f * b has a
coefficient that is not 0, and below MAX_WIDTH by the bounds of both: two of the primes do not divide it. So each of
their four residues is 0 with a probability of at most 1 / (p - 1) (Schwartz and Zippel). Of n forms, some pair and some
f are mistaken with a probability of at most

    n^2 * (2 * MAX_FACTOR + 1) / (p - 1)^4

which is below 2^-64 for 10 million forms. The residues are drawn from the digests of the model and of the tree, so that
neither is made to fit them.

A factor of two forms is the quotient of their residues:

    a = 3 x0 + 5 x1        residues (2, 9) mod 11, (4, 7) mod 13
    b = 6 x0 + 10 x1       residues (4, 7) mod 11, (8, 1) mod 13         b / a = 2, in each of the four
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log2, prod

import numpy as np

PRIMES = ((1 << 31) - 61, (1 << 31) - 19, (1 << 31) - 1)
WORDS_EACH = 2
"""Residues of a form modulo each prime."""
MODULI = np.repeat(np.array(PRIMES), WORDS_EACH)
"""The prime of each residue."""
WORDS = len(MODULI)
"""Residues of a form."""
MAX_WIDTH = prod(PRIMES[:2])
"""No number below it, but 0, is divided by two of the primes."""
MAX_FACTOR = 1 << 12
"""The greatest factor of two forms."""
BLOCK = 1 << 12
"""Atoms whose residues are drawn at once."""
EXACT = 2.0**53
MAX_GATHERED = 1 << 23
"""Residues of terms that are gathered at once."""
PLACES = np.arange(1, WORDS + 1)
"""The atoms whose residues are 1 in one place and 0 in the others: coefficients of them are residues."""
LOW, HIGH = WORDS + 1, WORDS + 2
"""Atoms whose coefficients, in memory, are the bounds of a form that is held by residues."""
RESERVED = HIGH + 1
"""The first atom that stands for a number."""
Group = tuple[np.ndarray, np.ndarray]


class Residues:
    """The residues of all atoms, drawn from a seed."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)
        self.table = np.zeros((0, WORDS), np.int64)
        self.forms = 0
        """How many forms were looked for among others."""

    @property
    def error_bits(self) -> int:
        """k, where two forms were taken for one with a probability of at most 2^-k."""
        pairs = 2 * log2(max(2, self.forms))
        sure = (WORDS - WORDS_EACH) * log2(PRIMES[0] - 1)
        return floor(sure - pairs - log2(2 * MAX_FACTOR + 1))

    def upto(self, count: int) -> np.ndarray:
        """The residues of the first `count` atoms at least."""
        if count > len(self.table):
            blocks = max(-(-count // BLOCK), 2 * len(self.table) // BLOCK)
            more = self.generator.integers(1, MODULI, (blocks * BLOCK - len(self.table), WORDS))
            self.table = np.concatenate([self.table, more])
            self.table[:RESERVED] = 0
            self.table[PLACES, PLACES - 1] = 1
        return self.table

    def note(self, atom: int, residues: np.ndarray) -> None:
        """Let an atom that stands for a form have the residues of the form."""
        self.upto(atom + 1)[atom] = residues


def is_held(group: Group) -> bool:
    """Whether a group of terms is residues."""
    ids = group[0]
    return ids.size == WORDS and int(ids.reshape(-1)[0]) == 1


def residues_of(table: np.ndarray, groups: Sequence[Group]) -> np.ndarray:
    """The residues of a form, with the axes of its lanes as far as they differ, and a last one."""
    total: np.ndarray = np.zeros(WORDS, np.int64)
    for _, residues in filter(is_held, groups):
        total = (total + residues) % MODULI
    for ids, coefficients in _joined([group for group in groups if not is_held(group)]):
        total = total + _contracted(table, ids, coefficients)
    return total % MODULI


def _joined(groups: Sequence[Group]) -> Iterator[Group]:
    """Groups of equal lanes as one."""
    alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Group]] = {}
    for ids, coefficients in groups:
        terms = max(ids.shape[-1], coefficients.shape[-1])
        pair = tuple(np.broadcast_to(part, (*part.shape[:-1], terms)) for part in (ids, coefficients))
        alike.setdefault((ids.shape[:-1], coefficients.shape[:-1]), []).append((pair[0], pair[1]))
    for pairs in alike.values():
        ids, coefficients = zip(*pairs, strict=True)
        yield pairs[0] if len(pairs) == 1 else (np.concatenate(ids, -1), np.concatenate(coefficients, -1))


def _contracted(table: np.ndarray, ids: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """The sum over the last axis of coefficients * residues; axes along which one of them does not vary stay apart."""
    rank = max(ids.ndim, coefficients.ndim)
    ids, coefficients = (part.reshape((1,) * (rank - part.ndim) + part.shape) for part in (ids, coefficients))
    lanes = ids.shape[:-1]
    if ids.size * WORDS > MAX_GATHERED and max(lanes, default=1) > 1:
        axis = int(np.argmax(lanes))
        parts = min(lanes[axis], -(-ids.size * WORDS // MAX_GATHERED))
        split = coefficients.shape[axis] > 1
        several = np.array_split(coefficients, parts, axis) if split else [coefficients] * parts
        pieces = zip(np.array_split(ids, parts, axis), several, strict=True)
        return np.concatenate([_contracted(table, *piece) for piece in pieces], axis)
    both = [axis for axis in range(rank - 1) if ids.shape[axis] > 1 and coefficients.shape[axis] > 1]
    of_ids = [axis for axis in range(rank - 1) if ids.shape[axis] > 1 and coefficients.shape[axis] == 1]
    others = [axis for axis in range(rank - 1) if axis not in both and axis not in of_ids]
    order = [*both, *others, *of_ids]
    extents = [[max(ids.shape[axis], coefficients.shape[axis]) for axis in axes] for axes in (both, others, of_ids)]
    batch, rows, columns = (int(np.prod(part)) for part in extents)
    terms = ids.shape[-1]
    left = np.transpose(coefficients, (*order, rank - 1)).reshape(batch, rows, terms)
    right = table[np.transpose(ids, (*order, rank - 1)).reshape(batch, columns, terms)]
    product = _product(left, np.moveaxis(right, 2, 1).reshape(batch, terms, columns * WORDS))
    result = product.reshape(*extents[0], *extents[1], *extents[2], WORDS)
    return np.transpose(result, (*np.argsort(order).tolist(), rank - 1))


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left @ right mod p for integers and residues, (batch, rows, terms) and (batch, terms, columns)."""
    widest, terms = int(np.max(np.abs(left), initial=0)), left.shape[-1]
    moduli = np.tile(MODULI, right.shape[2] // WORDS)
    if left.shape[1] * right.shape[2] <= WORDS and widest < PRIMES[0]:
        # One lane each: a matrix product would be called for every one of them.
        summed = np.zeros((len(left), right.shape[2]), np.int64)
        for term in range(terms):
            summed = (summed + left[:, 0, term, None] * right[:, term]) % moduli
        return summed[:, None]
    if widest * float(PRIMES[-1]) * terms < EXACT:
        return (left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64) % moduli
    if terms > 64:
        half = terms // 2
        parts = ((left[..., :half], right[:, :half]), (left[..., half:], right[:, half:]))
        return (_product(*parts[0]) + _product(*parts[1])) % moduli
    high = _product(left >> 16, right)
    return (high * (1 << 16) + _product(left & 0xFFFF, right)) % moduli


def _inverse(numbers: np.ndarray, prime: int) -> np.ndarray:
    """1 / numbers modulo a prime: numbers^(p - 2)."""
    result, power, rest = np.ones_like(numbers), numbers % prime, prime - 2
    while rest:
        if rest & 1:
            result = result * power % prime
        power = power * power % prime
        rest >>= 1
    return result


def keys_of(residues: np.ndarray) -> list[bytes]:
    """What the residues of all multiples of a form share: by prime, the second over the first one, if that is not 0."""
    keys = np.empty((len(residues), len(PRIMES)), np.int64)
    for place, prime in enumerate(PRIMES):
        first, second = residues[:, WORDS_EACH * place], residues[:, WORDS_EACH * place + 1]
        keys[:, place] = second * _inverse(np.where(first == 0, 1, first), prime) % prime
    text, width = keys.tobytes(), keys.itemsize * len(PRIMES)
    return [text[at : at + width] for at in range(0, len(text), width)]


def firsts_of(residues: np.ndarray) -> list[tuple[int, ...]]:
    """The first residue of each form modulo each prime."""
    return [tuple(row) for row in residues[:, ::WORDS_EACH].tolist()]


def factor_of(residues: tuple[int, ...], of_known: tuple[int, ...]) -> int | None:
    """The factor of a form over a known one, by the first residues of both modulo each prime; None if it is none of at
    most MAX_FACTOR."""
    if residues == of_known:
        return 1
    at = next((place for place, residue in enumerate(of_known) if residue), None)
    if at is None:
        return None
    prime = PRIMES[at]
    factor = residues[at] * pow(of_known[at], -1, prime) % prime
    factor -= prime if factor > prime // 2 else 0
    same = all(
        (factor * known - residue) % prime == 0
        for known, residue, prime in zip(of_known, residues, PRIMES, strict=True)
    )
    return factor if factor and abs(factor) <= MAX_FACTOR and same else None
