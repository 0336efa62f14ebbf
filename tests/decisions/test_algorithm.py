"""Convolutions by another algorithm than the cost model takes: obeyed, and the same numbers but for rounding."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s.api import compile as compile_network
from s2s.decisions.decision import Decision
from s2s.errors import InputError


def network() -> onnx.ModelProto:
    """Two convolutions, so that what lies between them is in blocks."""
    random = np.random.default_rng(0)
    scale = 1 / np.sqrt(9 * 16)
    weights = [
        numpy_helper.from_array((scale * random.normal(size=(16, 16, 3, 3))).astype(np.float32), f"w{n}") for n in "ab"
    ]
    nodes = [
        helper.make_node("Conv", ["x", "wa"], ["a"], "one", pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("Conv", ["b", "wb"], ["y"], "two", pads=[1] * 4),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 16, 20, 20]) for name in "xy"]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def algorithms(**options: Any) -> list[Decision]:
    decisions = compile_network(network(), target="host", **options).decisions
    return [each for each in decisions if each.kind == "algorithm"]


def given(chosen: str) -> dict[str, Any]:
    entries = [{"kind": "algorithm", "subject": each.subject, "chosen": chosen} for each in algorithms()]
    return {"format": 1, "decisions": entries}


def test_costs_are_recorded():
    for each in algorithms():
        assert [candidate.note for candidate in each.candidates] == ["direct", "winograd 2x2", "winograd 4x4"]
        assert all(candidate.cost is not None and candidate.cost.flash for candidate in each.candidates)


@pytest.mark.parametrize("chosen", ["direct", "winograd 2x2", "winograd 4x4"])
def test_any_algorithm_gives_right_results(chosen: str):
    decided = given(chosen)
    assert decided["decisions"]
    with compile_network(network(), target="host", decisions=decided) as artifact:
        assert {each.chosen for each in artifact.decisions if each.kind == "algorithm"} == {chosen}
        assert artifact.verify().passed


def test_one_entry_of_a_written_file_can_be_changed():
    """The entries that follow from it, schedules for one, are left to the compiler."""
    written = compile_network(network(), target="x86-64-v4").decisions.as_dict()
    entries = [dict(each) for each in written["decisions"]]
    changed = next(each for each in entries if each["kind"] == "algorithm")
    changed["chosen"] = "winograd 4x4" if changed["chosen"] == "direct" else "direct"
    again = compile_network(network(), target="x86-64-v4", decisions={**written, "decisions": entries})
    (found,) = [each for each in again.decisions if each.subject == changed["subject"]]
    assert (found.chosen, found.by) == (changed["chosen"], "user")


def test_an_algorithm_that_does_not_exist():
    with pytest.raises(InputError, match="legal are for example direct, winograd 2x2, winograd 4x4"):
        compile_network(network(), target="host", decisions=given("fft"))


def test_exact_floats_leave_no_choice():
    assert algorithms(exact=True) == []
