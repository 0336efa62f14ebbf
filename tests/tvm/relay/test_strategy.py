"""Implementations of operators from outside: conditions, priorities, and the decision that chooses among them."""

import numpy as np
import pytest

import s2s.tvm.relay.nn as nn
from s2s import api
from s2s.decisions import implementation
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.model import GraphModel
from s2s.targets import Target
from s2s.tvm import relay
from s2s.tvm.relay import IRModule, OpStrategy, register_strategy, select_implementation
from s2s.tvm.relay.expr import Expr
from s2s.types.dtypes import Array

IMAGE = np.random.default_rng(1).standard_normal((1, 8, 5, 5)).astype(np.float32)
WEIGHTS = np.random.default_rng(2).standard_normal((4, 8, 1, 1)).astype(np.float32)


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a test registers."""
    monkeypatch.setattr(implementation, "_STRATEGIES", {})


def network() -> IRModule:
    x = relay.var("x", shape=(1, 8, 5, 5))
    return IRModule.from_expr(nn.relu(nn.conv2d(x, relay.const(WEIGHTS))))


def compiled(**options: object) -> api.Artifact:
    mod = network()
    source = GraphModel(mod.module, mod.params, "network")
    return api.compile(source, target="c", **options)  # pyright: ignore[reportArgumentType]


def result_of(artifact: api.Artifact) -> Array:
    [found] = artifact.run({"x": IMAGE}).values()
    return found


def expected() -> Array:
    return np.maximum(np.einsum("oi,bihw->bohw", WEIGHTS[:, :, 0, 0], IMAGE), 0)


def by_matmul(op: graph.ConvOp, data: Expr, weight: Expr) -> Expr:
    columns = relay.reshape(data, (8, 25))
    return relay.reshape(nn.matmul(relay.reshape(weight, (4, 8)), columns), (1, 4, 5, 5))


def unchanged(op: graph.ConvOp, data: Expr, weight: Expr) -> Expr:
    return data


def register(*, plevel: int = 15, condition: bool = True, name: str = "matmul") -> None:
    @register_strategy("nn.conv2d")
    def _(op: graph.ConvOp, target: Target) -> OpStrategy:
        strategy = OpStrategy()
        strategy.add_implementation(by_matmul, name, plevel, condition)
        return strategy


def kernels_of(artifact: api.Artifact) -> str:
    return " ".join(cost for cost in artifact.compilation.costs)


def test_the_implementation_of_the_highest_priority_is_taken():
    register()
    artifact = compiled()
    assert "matmul" in kernels_of(artifact)
    np.testing.assert_allclose(result_of(artifact), expected(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("plevel", "condition"), [(10, True), (5, True), (15, False)])
def test_the_compilers_own_is_taken_otherwise(plevel: int, condition: bool):
    register(plevel=plevel, condition=condition)
    assert "conv" in kernels_of(compiled())


def test_the_decision_tells_all_implementations():
    register(condition=False)
    [decision] = [each for each in compiled().decisions if each.kind == "implementation"]
    assert decision.chosen == "s2s"
    told = {each.note: each.refused for each in decision.candidates}
    assert told == {"matmul, priority 15": "its condition does not hold", "s2s, priority 10": None}


def test_a_file_of_decisions_has_the_last_word():
    register()
    [decision] = [each for each in compiled().decisions if each.kind == "implementation"]
    entry = {"kind": "implementation", "subject": decision.subject, "chosen": "s2s"}
    given = {"format": 1, "decisions": [entry]}
    artifact = compiled(decisions=given)
    assert "conv" in kernels_of(artifact)
    np.testing.assert_allclose(result_of(artifact), expected(), rtol=1e-5, atol=1e-5)


def test_the_target_is_known_to_a_strategy():
    seen: list[str] = []

    @register_strategy(graph.ConvOp)
    def _(op: graph.ConvOp, target: Target) -> OpStrategy:
        seen.append(target.name)
        return OpStrategy()

    compiled()
    assert seen == ["c"]


def test_an_implementation_can_be_selected_without_a_compilation():
    register()
    [conv] = [op for op in network().module.walk() if isinstance(op, graph.ConvOp)]
    assert select_implementation(conv, "c") == "matmul"


def test_names_of_implementations_differ():
    register()
    register()
    with pytest.raises(InputError, match="strategy: implementation 'matmul' is there already; give another name"):
        compiled()


def test_a_result_of_another_type_is_refused():
    @register_strategy("graph.conv")
    def _(op: graph.ConvOp, target: Target) -> OpStrategy:
        strategy = OpStrategy()
        strategy.add_implementation(unchanged, "wrong", 20)
        return strategy

    with pytest.raises(InputError, match=r"implementation wrong of graph\.conv: it returns no tensor<1x4x5x5xf32>"):
        compiled()


def test_an_operator_that_is_not_known_is_refused():
    with pytest.raises(InputError, match=r"register_strategy: operator 'nn.conv9d' is not known; give nn.conv1d"):
        register_strategy("nn.conv9d")
