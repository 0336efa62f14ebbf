"""Every operator of the graph dialect through C, against what it means in numpy.

The cases of a family stand side by side in one network, which is compiled once for each target.
"""

import pytest
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from support import operator_cases
from support.compiled import compiled, differences
from support.operator_cases import Case, network
from support.trees import FAMILIES, artifact_of


@pytest.mark.sample(1, each="family")
@pytest.mark.parametrize("target", ["c", "host"])
@pytest.mark.parametrize("family", FAMILIES)
def test_operators_compute_what_they_mean(family: str, target: str):
    cases = FAMILIES[family]()
    module, inputs = network(cases)
    assert differences(artifact_of(family, target), module, inputs, [case.label for case in cases]) == {}


def test_every_operator_has_a_case():
    def built(case: Case) -> type[Operation]:
        module, _ = network([case])
        [function] = module.ops
        *_, last = (op for op in function.walk() if isinstance(op, GraphOp))
        return type(last)

    found = {built(case) for family in FAMILIES.values() for case in family()}
    networks_in_networks = {graph.IfOp, graph.LineBuffersOp, graph.ScanOp, graph.WhileOp}
    calls = {graph.CallOp, graph.ExternOp, graph.DeviceCopyOp}
    computed = {graph.NonzeroOp}  # test_computed_sizes.py
    of_streams = {graph.AdvanceOp, graph.InsertSliceOp}  # windows of states: tests/frontends/test_streams.py
    of_checks = {graph.RequireOp}  # test_computed_indices.py
    of_modules = {*calls, *computed, *of_streams, *of_checks, graph.WeightOp, graph.ConstantOp, *networks_in_networks}
    assert set(graph.Graph.operations) - found == of_modules


def test_indices_that_are_bytes_have_a_self_test():
    """A made-up byte is no valid index of five elements, so the self-test runs on zeros."""
    [case] = [case for case in operator_cases.indices() if case.label == "gather by uint8"]
    module, _ = network([case])
    [vector] = compiled(module, target="c").info.golden
    assert not vector.inputs[1].any()
