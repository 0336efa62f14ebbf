"""Two products in place of a division give the same bytes for every float."""

import numpy as np
import pytest

from s2s.analysis.numbers.reciprocals import quotient_factors
from s2s.interpret.numbers import fused_multiply_add
from s2s.types.dtypes import Array

DIVISORS = [*np.random.default_rng(0).uniform(1e-4, 2.0, 40).astype(np.float32), np.float32(2**-7), np.float32(7e5)]


def _bytes(quotient: Array, *, away: bool) -> Array:
    exact = np.clip(np.nan_to_num(quotient.astype(np.float64)), -300, 300)
    rounded = np.copysign(np.floor(np.abs(exact) + 0.5), exact) if away else np.rint(exact)
    return np.clip(rounded, -256, 256)


def _floats(divisor: np.float32) -> Array:
    """Floats around each half step, of all exponents, and infinities."""
    halves = ((np.arange(-300, 300) + np.float32(0.5)) * divisor).astype(np.float32).view(np.int32)
    near = (halves[:, None] + np.arange(-4, 5, dtype=np.int32)).reshape(-1)
    spread = np.arange(0, 2**32, 65_537, dtype=np.uint32).view(np.int32)
    floats = np.concatenate([near, spread]).astype(np.int32).view(np.float32)
    return floats[~np.isnan(floats)]


def test_products_round_as_quotients_do_in_16_bits():
    for divisor in DIVISORS[::8]:
        found = quotient_factors(float(divisor), away=True, bits=16)
        assert found is not None
        high, low = map(np.float32, found)
        halves = (np.arange(0, 66_000, 7) + 0.5).astype(np.float32) * divisor
        x = np.concatenate([halves, np.nextafter(halves, np.float32(0)), -halves])
        product = x * high if low == 0 else fused_multiply_add(x, np.full_like(x, high), x * low)
        rounded = [np.floor(np.abs(each.astype(np.float64)) + 0.5) for each in (product, x / divisor)]
        by_product, by_quotient = (np.minimum(each, 1 << 16) for each in rounded)
        assert np.array_equal(by_product, by_quotient)


@pytest.mark.parametrize("away", [False, True])
def test_products_round_as_quotients_do(away: bool):
    for divisor in DIVISORS:
        found = quotient_factors(float(divisor), away=away)
        assert found is not None
        high, low = map(np.float32, found)
        x = _floats(divisor)
        with np.errstate(all="ignore"):
            product = x * high if low == 0 else fused_multiply_add(x, np.full_like(x, high), x * low)
            assert (_bytes(product, away=away) == _bytes(x / divisor, away=away)).all()


def test_a_power_of_two_takes_one_product():
    assert quotient_factors(0.0078125, away=True) == (128.0, 0.0)


def test_one_product_is_not_enough_for_most_divisors():
    found = quotient_factors(0.03137255, away=True)
    assert found is not None
    assert found[1] > 0


@pytest.mark.parametrize("divisor", [0.0, -0.5, 1e-30, 1e30, float("inf"), float("nan")])
def test_divisors_out_of_range_are_left(divisor: float):
    assert quotient_factors(divisor, away=False) is None
