"""An operator is its type rule, its numpy meaning, its lowering, an importer and a test; nothing else lists it."""

import pytest
from xdsl.ir import Operation

from s2s.dialects import graph
from support.operator_parts import OPERATORS, known_to_no_pass, missing, product_files

FILES = 5
"""The files of the package that a new operator touches: the family in the dialect and the list of all operations, its
meaning, its lowering, and an importer."""


@pytest.mark.parametrize("operation", OPERATORS, ids=lambda operation: operation.name)
def test_an_operator_has_all_its_parts(operation: type[Operation]) -> None:
    assert missing(operation) == []


def test_operators_need_no_place_in_lists_of_passes() -> None:
    plain = known_to_no_pass()
    assert {graph.DeterminantOp, graph.RoiAlignOp, graph.ScatterNdOp, graph.ReduceProdOp} <= set(plain)
    assert {
        operation.name: len(product_files(operation)) for operation in plain if len(product_files(operation)) > FILES
    } == {}
