"""What holds for every network: graph passes keep its numbers, and kernels are what later levels can rely on."""

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.pipeline import pipeline
from s2s.registry import PASSES, get_pass
from s2s.types.weights import WeightStore
from support.numbers import compare
from support.random_networks import SHAPE, random_networks

SIMPLE = [name for name in PASSES if name.startswith("graph-") and name != "graph-lower-to-tensor"]
INPUT = np.random.default_rng(3).standard_normal(SHAPE).astype(np.float32)

Network = tuple[ModuleOp, WeightStore]


def transform(network: Network, *names: str) -> ModuleOp:
    """A copy of the network after the passes called `names`, verified."""
    module, weights = network
    changed = module.clone()
    for name in names:
        get_pass(name)().apply(CompilerContext(weights), changed)
        changed.verify()
    return changed


def kernels_of(module: ModuleOp) -> list[FuncOp]:
    """The kernels of a divided network."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp) and "kernel" in op.attributes]


def leads_to(op: Operation, layers: set[Operation]) -> bool:
    """Whether an operation of `layers` uses the result of `op`, or what follows from it."""
    users = {use.operation for result in op.results for use in result.uses}
    return bool(users & layers) or any(leads_to(user, layers) for user in users)


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", SIMPLE)
@given(network=random_networks())
@settings(max_examples=20)
def test_each_pass_keeps_the_numbers(name: str, network: Network) -> None:
    module, weights = network
    changed = transform(network, name)
    with np.errstate(all="ignore"):
        compare("main", run_graph(module, [INPUT], weights), run_graph(changed, [INPUT], weights))


@given(network=random_networks())
@settings(max_examples=60)
def test_all_passes_in_order_keep_the_numbers(network: Network) -> None:
    module, weights = network
    changed = transform(network, *(each.name for each in pipeline(CompileOptions())["graph"]))
    with np.errstate(all="ignore"):
        compare("main", run_graph(module, [INPUT], weights), run_graph(changed, [INPUT], weights))


@given(network=random_networks())
@settings(max_examples=60)
def test_a_divided_network_is_calls_weights_and_reshapes(network: Network) -> None:
    module = transform(network, "graph-copy-outputs", "graph-fuse-ops")
    main = module.body.block.last_op
    assert isinstance(main, FuncOp)
    known = (graph.CallOp, graph.WeightOp, graph.ReshapeOp, ReturnOp)
    assert [op.name for op in main.body.block.ops if not isinstance(op, known)] == []


@given(network=random_networks())
@settings(max_examples=60)
def test_a_kernel_has_at_most_one_anchor_and_an_opaque_operation_alone(network: Network) -> None:
    for kernel in kernels_of(transform(network, "graph-copy-outputs", "graph-fuse-ops")):
        ops = [op for op in kernel.body.block.ops if not isinstance(op, graph.ConstantOp | ReturnOp)]
        kinds = [fusion_kind(op) for op in ops]
        anchors = [kind for kind in kinds if kind >= FusionKind.REDUCTION]
        assert len(anchors) <= 1
        assert FusionKind.OPAQUE not in kinds or len(kinds) == 1


@given(network=random_networks())
@settings(max_examples=60)
def test_a_kernel_has_one_result_and_no_reshape_at_its_border(network: Network) -> None:
    for kernel in kernels_of(transform(network, "graph-copy-outputs", "graph-fuse-ops")):
        reshapes = [op for op in kernel.body.block.ops if isinstance(op, graph.ReshapeOp)]
        terminator = kernel.body.block.last_op
        assert isinstance(terminator, ReturnOp)
        assert len(terminator.operands) == 1
        assert not isinstance(terminator.operands[0].owner, graph.ReshapeOp)
        assert all(op.x not in kernel.body.block.args for op in reshapes)


@given(network=random_networks())
@settings(max_examples=60)
def test_nothing_moves_elements_but_operands_of_a_layer(network: Network) -> None:
    for kernel in kernels_of(transform(network, "graph-copy-outputs", "graph-fuse-ops")):
        ops = [op for op in kernel.body.block.ops if not isinstance(op, ReturnOp)]
        layers = {op for op in ops if fusion_kind(op) == FusionKind.OUT_FUSABLE}
        moves = [op for op in ops if fusion_kind(op) == FusionKind.INJECTIVE]
        assert not layers or all(leads_to(op, layers) for op in moves)


@given(network=random_networks())
@settings(max_examples=30)
def test_passes_are_deterministic(network: Network) -> None:
    module, weights = network
    texts: list[str] = []
    for _ in range(2):
        store = WeightStore()
        for name in weights.names():
            store.add(name, weights.get(name))
        texts.append(str(transform((module, store), *(each.name for each in pipeline(CompileOptions())["graph"]))))
    assert texts[0] == texts[1]
