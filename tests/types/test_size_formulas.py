"""Sizes that are formulas of others: as text, and as a part of the sizes of a module."""

import pytest
from xdsl.ir.affine import AffineDimExpr

from s2s.errors import CompilerBug
from s2s.types.affine import bounds, product_of
from s2s.types.size_formulas import formula_of, multiplies_sizes, own_names, parse_formula, parse_map, told_sizes
from s2s.types.sizes import SizeRange, SizeTable, sizes_attribute

MAPS = ["(d0) -> (d0)", "(d0, d1) -> (((d0 * d1) + 1))", "(d0) -> ((((d0 + -1) floordiv 2) mod 3))"]


@pytest.mark.parametrize("text", MAPS)
def test_text_is_read_back(text: str):
    assert str(parse_map(str(parse_map(text)))) == str(parse_map(text))
    assert parse_map(f"affine_map<{text}>") == parse_map(text)


def test_other_text_is_a_bug():
    with pytest.raises(CompilerBug, match="no map of sizes"):
        parse_map("(d0) -> (d0 ** 2)")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4*q", 12),
        ("q + 1", 4),
        ("past + q", 8),
        ("past - q*2 + 9", 8),
        ("floor(past/2)", 2),
        ("(q + past) // 3 % 2", 0),
        ("-2*(q - past)", 4),
        ("q*past", 15),
        ("2*3*q", 18),
    ],
)
def test_formulas_are_evaluated(text: str, value: int):
    formula = parse_formula(text)
    assert formula is not None
    assert formula.at({"q": 3, "past": 5}) == value


TEXTS = ["", "?", "12", "a b", "a**2", "a // b", "a % 0", "f(a)", "a.b", "a[0]", "True", "'a'", "a\x00", "lambda: a"]


@pytest.mark.parametrize("text", [*TEXTS, "a if b else c", "a + 99999999999", "a" * 300])
def test_other_texts_are_no_formulas(text: str):
    assert parse_formula(text) is None


def test_formulas_have_sizes_that_are_known():
    assert formula_of("4*q", {"q"}).names == ("q",)
    assert formula_of("4*q", {"n"}).names == ("4*q",)
    assert formula_of("4*q", {"q", "4*q"}).names == ("4*q",)
    assert own_names(["n", "4*q", "batch size", "n"]) == ["n", "batch size"]


def test_axes_tell_sizes_one_after_the_other():
    axes = [
        (formula_of(text, {"past", "new", "q"}), size) for text, size in (("4*q", 12), ("past + new", 7), ("new", 2))
    ]
    values = {"past": range(1, 9), "new": range(1, 3), "q": range(2, 5)}
    assert told_sizes(axes, values) == {"new": 2, "q": 3, "past": 5}
    assert told_sizes(axes[1:2], values) == {}
    assert told_sizes([(axes[0][0], 99)], values) == {"q": 4}


def test_product_of_sizes_is_a_size_of_a_module():
    sizes = sizes_attribute({"H": SizeRange(1, 9), "W": SizeRange(2, 5)})
    table = SizeTable({"sizes": sizes})
    rows, columns = (AffineDimExpr(0) + 1) // 2, AffineDimExpr(1)
    product = product_of([columns, rows], [(0, 9), (0, 5)])
    assert product == product_of([rows, columns], [(0, 9), (0, 5)])
    assert multiplies_sizes(product)
    assert bounds(product, [(1, 9), (2, 5)]) == (2, 25)
    name = table.name_of(product)
    again = SizeTable({"sizes": sizes, "derived_sizes": table.attribute})
    assert again[name] == product
    assert again.range(name) == SizeRange(2, 25)
