"""Flat positions are taken apart into rows and columns, and mean the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.passes.loop.lower_to_c.axes import Axis, axes_of

NAMES: tuple[str, ...] = ("ic", "oh", "kh", "ow", "kw")
MIN_MOVES = {"ic": 0, "oh": 0, "kh": 0, "ow": 3, "kw": 0}


def dim(name: str) -> AffineDimExpr:
    return AffineDimExpr(NAMES.index(name))


def name_of(atom: AffineExpr) -> str:
    assert isinstance(atom, AffineDimExpr)
    return NAMES[atom.position]


def reach(atom: AffineExpr) -> tuple[int, int]:
    return MIN_MOVES[name_of(atom)], 9


def shown(axes: list[Axis], rest: int) -> str:
    """The position as text."""
    parts: list[str] = []
    for axis in axes:
        inner = " + ".join(name_of(atom) + (f" * {times}" if times > 1 else "") for atom, times in axis.atoms)
        inner += f" - {-axis.share}" if axis.share else ""
        shown = f"({inner})" if " " in inner and axis.factor > 1 else inner
        parts.append(shown + (f" * {axis.factor}" if axis.factor > 1 else ""))
    return " + ".join(parts) + (f" {rest:+}" if rest else "")


@pytest.mark.parametrize(
    ("terms", "constant", "expected"),
    [
        ({"ic": 1024, "oh": 32, "kh": 32, "ow": 1, "kw": 1}, -33, "ic * 1024 + (oh + kh - 1) * 32 + ow + kw -1"),
        ({"ic": 1024, "oh": 32, "kh": 32}, -32, "ic * 1024 + (oh + kh - 1) * 32"),
        ({"ic": 1024, "oh": 32, "kh": 32, "kw": 1}, -3, "ic * 1024 + (oh + kh) * 32 + kw -3"),
        ({"ic": 1024, "oh": 32, "kh": 32, "ow": 1, "kw": 1}, 33, "ic * 1024 + (oh + kh) * 32 + ow + kw +33"),
        ({"ic": 1024, "oh": 32}, 31, "ic * 1024 + oh * 32 +31"),
        ({"ic": 1024, "oh": 32, "ow": 1}, 1056, "ic * 1024 + oh * 32 + ow +1056"),
        ({"oh": 40, "kh": 4}, 0, "oh * 40 + kh * 4"),
        ({"oh": 40, "kh": 4}, 1024, "oh * 40 + kh * 4 +1024"),
        (
            {"ic": 1024, "oh": 64, "kh": 32, "ow": 2, "kw": 1},
            -33,
            "ic * 1024 + (oh * 2 + kh - 1) * 32 + ow * 2 + kw -1",
        ),
        ({"ic": 1024, "oh": 64, "kh": 32, "ow": 2}, -33, "ic * 1024 + (oh * 2 + kh - 1) * 32 + ow * 2 -1"),
        ({"ic": 1024, "oh": 64, "kh": 32, "ow": 2}, 0, "ic * 1024 + oh * 64 + kh * 32 + ow * 2"),
        ({"oh": 768, "ow": 32, "ic": 1}, -800, "(oh - 1) * 768 + (ow - 1) * 32 + ic"),
        ({"oh": 768, "ic": 1}, -768, "(oh - 1) * 768 + ic"),
        ({"oh": 768, "ic": 1}, -96, "oh * 768 + ic -96"),
        ({"oh": 768, "ic": 1}, -7680, "oh * 768 + ic -7680"),
        ({"ic": 36, "oh": 27, "kw": 4}, 5, "ic * 36 + oh * 27 + kw * 4 +5"),
        ({"oh": 9, "kh": 12}, 5, "kh * 12 + oh * 9 +5"),
    ],
)
def test_a_position_reads_as_rows_and_columns(terms: dict[str, int], constant: int, expected: str) -> None:
    found = axes_of([(dim(name), factor) for name, factor in terms.items()], constant, reach)
    assert shown(*found) == expected


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=5), st.integers(-5000, 5000), st.lists(st.integers(0, 99)))
def test_the_position_stays_the_same(factors: list[int], constant: int, point: list[int]) -> None:
    values = dict(zip(NAMES, [*point, 1, 2, 3, 4, 5], strict=False))
    terms = [(dim(name), factor) for name, factor in zip(NAMES, factors, strict=False)]
    axes, rest = axes_of(terms, constant, reach)
    found = rest
    for axis in axes:
        found += axis.factor * (axis.share + sum(values[name_of(atom)] * times for atom, times in axis.atoms))
    assert found == constant + sum(values[name_of(atom)] * factor for atom, factor in terms)
