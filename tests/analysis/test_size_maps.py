"""Sizes that are products of others: as text, and as a part of the sizes of a module."""

import pytest
from xdsl.ir.affine import AffineDimExpr

from s2s.errors import CompilerBug
from s2s.types.affine import bounds, product_of
from s2s.types.size_maps import multiplies_sizes, parse_map
from s2s.types.sizes import SizeRange, SizeTable, sizes_attribute

MAPS = ["(d0) -> (d0)", "(d0, d1) -> (((d0 * d1) + 1))", "(d0) -> ((((d0 + -1) floordiv 2) mod 3))"]


@pytest.mark.parametrize("text", MAPS)
def test_text_is_read_back(text: str):
    assert str(parse_map(str(parse_map(text)))) == str(parse_map(text))
    assert parse_map(f"affine_map<{text}>") == parse_map(text)


def test_other_text_is_a_bug():
    with pytest.raises(CompilerBug, match="no part of a map"):
        parse_map("(d0) -> (d0 ** 2)")


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
