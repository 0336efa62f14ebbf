"""The networks outside the set are valid models, and the command chooses among them."""

import onnx
import pytest

from benchmarks.networks.__main__ import NETWORKS, chosen


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_a_valid_model_and_its_forms_are_named_after_it(name: str) -> None:
    model = NETWORKS[name]()
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    assert model.graph.name
    assert name.startswith(model.graph.name)


def test_names_are_patterns() -> None:
    assert chosen(["shuffle*"]) == ["shufflenet_v2"]
    assert chosen([]) == list(NETWORKS)
