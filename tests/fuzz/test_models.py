"""Random ONNX models agree with other engines; `s2s fuzz` runs more of them. `S2S_FUZZ_SEED` draws others."""

import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import helper

from s2s.errors import InputError
from s2s.fuzz import sizes
from s2s.fuzz.campaign import Plan, Tally, draw, run
from s2s.fuzz.check import difference, differences_of
from s2s.fuzz.merge import names_read
from s2s.fuzz.onnx_model import OnnxModel, pruned, without_node
from s2s.fuzz.oracle import evaluate_model, evaluate_node
from s2s.fuzz.sizes import check_at_sizes
from s2s.fuzz.spread import Spread
from s2s.fuzz.variants import Variant
from s2s.types.dtypes import Array

PLAN = Plan(models=300, seed=int(os.environ.get("S2S_FUZZ_SEED", "1")), variants=1, nodes=2, thorough=25)


def test_random_models_agree_with_other_engines() -> None:
    total = Tally()
    for tally in run(PLAN):
        total.add(tally)
    assert [each.failure.describe() for each in total.failures] == [], f"seed {PLAN.seed}"
    assert total.models == PLAN.models
    assert sum(total.refused.values()) < PLAN.models / 4


def test_random_models_agree_at_several_sizes() -> None:
    total = Tally()
    for tally in run(replace(PLAN, models=60, sizes=True)):
        total.add(tally)
    assert [each.failure.describe() for each in total.failures] == [], f"seed {PLAN.seed}"
    assert total.models - sum(total.refused.values()) > 20


def test_a_wrong_result_at_a_smaller_size_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum that is expected to be that of the greatest size, on zeros."""
    wrong = model(helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0))

    def cut(inputs: Mapping[str, Array], most: int, size: int) -> dict[str, Array]:
        return {name: value[:size] * (size == most) for name, value in inputs.items()}

    variant = Variant(target="c", compiler="gcc", optimise="-O0", sizes=True)
    given = {"x": np.asarray([1, 2, 3, 4], np.float32)}
    assert check_at_sizes(wrong, given, variant) == []
    expected = evaluate_model(wrong, given)

    def of_the_greatest_size(*_: object, **__: object) -> Mapping[str, Spread]:
        return expected

    monkeypatch.setattr(OnnxModel, "evaluate", of_the_greatest_size)
    monkeypatch.setattr(sizes, "_cut", cut)
    [failure] = check_at_sizes(wrong, given, variant)
    assert failure.detail.startswith("N = 1: y: 1 of 1 elements differ")


def test_a_seed_draws_the_same_model_again() -> None:
    first, again = draw(PLAN, 3), draw(PLAN, 3)
    assert first.model.serialised() == again.model.serialised()
    assert all(first.inputs[name].tobytes() == value.tobytes() for name, value in again.inputs.items())


def model(*nodes: onnx.NodeProto, outputs: tuple[str, ...] = ("y",)) -> onnx.ModelProto:
    """A model whose input is `x`, four floats."""
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [4])],
        [onnx.ValueInfoProto(name=name) for name in outputs],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def spreads(x: list[float], *nodes: onnx.NodeProto) -> Mapping[str, Spread]:
    return evaluate_model(model(*nodes), {"x": np.asarray(x, np.float32)})


def test_bounds_follow_from_cancellation() -> None:
    mean = helper.make_node("ReduceMean", ["x"], ["m"])
    rest = helper.make_node("Sub", ["x", "m"], ["y"])
    small, large = (spreads([base, base + 1, base + 2, base + 3], mean, rest)["y"] for base in (0.0, 1e5))
    assert large.bounds().max() > 1e3 * small.bounds().max()


def test_a_moved_value_may_not_differ_by_more_than_its_last_roundings() -> None:
    moved = spreads([1, 2, 3, 4], helper.make_node("Identity", ["x"], ["y"]))["y"]
    assert not difference(moved, np.asarray([1, 2, 3, 4], np.float32))
    assert difference(moved, np.asarray([1, 2, 3, 4.0001], np.float32))


def test_small_results_of_sigmoid_are_not_those_of_onnxruntime() -> None:
    sigmoid = spreads([-20, -10, 0, 1], helper.make_node("Sigmoid", ["x"], ["y"]))["y"]
    np.testing.assert_allclose(sigmoid.clean[0], np.exp(-20.0), rtol=1e-5)


def test_a_long_sum_of_one_sign_may_be_off_by_more_roundings_than_a_short_one() -> None:
    """One after the other, 4,096 floats of 2.1 add up to 8,601.35, not to 8,601.6."""
    total = helper.make_node("ReduceL1", ["x"], ["y"], keepdims=0)
    found, naive = spreads([2.1] * 4096, total)["y"], np.cumsum(np.full(4096, 2.1, np.float32))[-1]
    assert abs(naive - found.clean) > 0.1
    assert not difference(found, np.asarray(naive))
    assert difference(found, np.asarray(naive - np.float32(5)))


def test_means_of_windows_behind_the_end_are_not_those_of_the_reference() -> None:
    pool = helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[5], strides=[3], pads=[0, 1], ceil_mode=1)
    x = np.arange(5.0).reshape(1, 1, 5)
    narrow = evaluate_node(pool, {"": 21}, {"x": Spread(x.astype(np.float32))})["y"].clean
    np.testing.assert_array_equal(narrow, [[[2, 3.5]]])
    with pytest.raises(InputError, match="no engine computes it"):
        evaluate_node(pool, {"": 21}, {"x": Spread(x)})


def test_a_softmax_before_opset_13_is_not_that_of_the_reference() -> None:
    x = np.arange(6.0).reshape(2, 3)
    flat = evaluate_node(helper.make_node("Softmax", ["x"], ["y"], axis=0), {"": 11}, {"x": Spread(x)})["y"].clean
    np.testing.assert_allclose(flat.sum(), 1.0)
    with pytest.raises(InputError, match="no engine computes it"):
        evaluate_node(helper.make_node("Hardmax", ["x"], ["y"], axis=0), {"": 11}, {"x": Spread(x)})


def test_products_with_signed_weights_do_not_saturate_in_convolutions() -> None:
    node = helper.make_node("QLinearConv", ["x", "s", "z", "w", "s", "t", "large", "z"], ["y"])
    operands: dict[str, Array] = {
        "x": np.full((1, 64, 1, 1), 255, np.uint8),
        "w": np.full((1, 64, 1, 1), 127, np.int8),
        "s": np.asarray(1, np.float32),
        "large": np.asarray(2e4, np.float32),
        "z": np.asarray(0, np.uint8),
        "t": np.asarray(0, np.int8),
    }
    y = evaluate_node(node, {"": 21}, {name: Spread(each) for name, each in operands.items()})["y"].clean
    assert y.item() == 104  # 2,072,640 / 20,000


def test_products_of_bytes_are_not_those_of_onnxruntime() -> None:
    """Without VNNI onnxruntime saturates 255 * 127 + 255 * 127 at 32,767."""
    node = helper.make_node("MatMulInteger", ["a", "b"], ["y"])
    operands = {"a": Spread(np.full((1, 4), 255, np.uint8)), "b": Spread(np.full((4, 1), 127, np.int8))}
    assert evaluate_node(node, {"": 21}, operands)["y"].clean == 4 * 255 * 127


def test_floats_that_roundings_may_make_equal_are_not_determined() -> None:
    """`x - mean(x) = -1.5` is computed: whether it equals the constant hangs on its roundings."""
    mean = helper.make_node("ReduceMean", ["x"], ["m"])
    rest = helper.make_node("Sub", ["x", "m"], ["d"])
    same = helper.make_node("Equal", ["d", "c"], ["y"])
    net = model(helper.make_node("Constant", [], ["c"], value_floats=[-1.5000001, 0, 0, 1]), mean, rest, same)
    y = evaluate_model(net, {"x": np.asarray([1, 2, 3, 4], np.float32)})["y"]
    np.testing.assert_array_equal(y.bounds(), [np.inf, 0, 0, 0])


def test_unsorted_unique_columns_are_not_those_of_the_reference() -> None:
    x = np.asarray([[3, 1, 3], [4, 2, 4]])
    node = helper.make_node("Unique", ["x"], ["y", "at", "of", "n"], axis=-1, sorted=0)
    found = evaluate_node(node, {"": 19}, {"x": Spread(x)})["y"].clean
    np.testing.assert_array_equal(found, [[3, 1], [4, 2]])
    with pytest.raises(InputError, match="no engine computes it"):
        evaluate_node(node, {"": 19}, {"x": Spread(x.astype(np.uint16))})


def test_a_sample_of_which_engines_disagree_is_not_determined() -> None:
    """Row 10 of 21 lies at row 7 of 15, where the reference evaluator takes row 6."""
    resize = helper.make_node("Resize", ["x", "", "", "n"], ["y"], mode="linear")
    x = np.random.default_rng(0).uniform(-3, 3, (1, 1, 15, 4)).astype(np.float32)
    operands = {"x": Spread(x), "n": Spread(np.asarray([1, 1, 21, 4]))}
    y = evaluate_node(resize, {"": 21}, operands)["y"]
    assert (np.abs(x[0, 0, 7] - y.clean[0, 0, 10]) <= y.bounds()[0, 0, 10]).all()
    assert (y.bounds()[0, 0, :10] < 1e-4).all()


def test_what_hangs_on_a_rounding_is_not_determined() -> None:
    third = helper.make_node("Mul", ["x", "x"], ["m"])
    floor = helper.make_node("Floor", ["m"], ["f"])
    cast = helper.make_node("Cast", ["f"], ["y"], to=onnx.TensorProto.INT32)
    found = spreads([np.sqrt(2), 1.2, 1.5, 0.5], third, floor, cast)["y"]
    assert np.isinf(found.bounds()).tolist() == [True, False, False, False]


def test_what_is_no_number_by_a_rounding_is_not_compared() -> None:
    """The variance of one element, `E(x * x) - E(x) ** 2`, is 0, or below it by a rounding."""
    root = Spread(np.asarray([np.nan, 1], np.float32), (np.asarray([0, 1], np.float32),))
    assert not difference(root, np.asarray([0, 1], np.float32))
    assert not difference(root, np.asarray([np.nan, 1], np.float32))
    assert difference(root, np.asarray([0, np.nan], np.float32))
    sure = Spread(np.asarray([np.nan, 1], np.float32), (np.asarray([np.nan, 1], np.float32),))
    assert not difference(sure, np.asarray([np.nan, 1], np.float32))
    assert difference(sure, np.asarray([0, 1], np.float32))


def test_a_comparison_sees_one_wrong_integer() -> None:
    exact = Spread(np.asarray([1, 2, 3]))
    assert difference(exact, np.asarray([1, 2, 4])) == ("1 of 3 elements differ, first at [2]: expected 3, found 4")


def test_an_element_that_two_runs_leave_alone_is_compared_with_more():
    nodes = helper.make_node("ReduceMean", ["x"], ["m"]), helper.make_node("Sub", ["x", "m"], ["y"])
    inputs = {"x": np.asarray([1e5, 1e5 + 1, 1e5 + 2, 1e5 + 3], np.float32)}
    exact = {"y": Spread(evaluate_model(model(*nodes), inputs)["y"].clean)}
    off = {"y": exact["y"].clean + np.float32(0.01)}
    assert difference(exact["y"], off["y"])
    assert not differences_of(OnnxModel(model(*nodes)), inputs, exact, off, scaled=False)
    wrong = {"y": exact["y"].clean + np.float32(10)}
    assert differences_of(OnnxModel(model(*nodes)), inputs, exact, wrong, scaled=False)


def test_a_node_reads_what_its_subgraphs_do():
    branch = helper.make_graph(
        [helper.make_node("Add", ["x", "c"], ["a"]), helper.make_node("Neg", ["a"], ["b"])],
        "branch",
        [],
        [onnx.ValueInfoProto(name="b"), onnx.ValueInfoProto(name="z")],
        [onnx.numpy_helper.from_array(np.asarray(1, np.float32), "c")],
    )
    node = helper.make_node("If", ["on"], ["y", "w"], then_branch=branch, else_branch=branch)
    assert names_read([node]) == ["on", "x", "z"]


@pytest.fixture
def chain() -> tuple[onnx.ModelProto, Mapping[str, Array]]:
    """Three nodes in a row, and one beside."""
    nodes = [
        helper.make_node("Exp", ["x"], ["a"], name="first"),
        helper.make_node("Neg", ["a"], ["b"], name="second"),
        helper.make_node("Abs", ["b"], ["y"], name="third"),
        helper.make_node("Sqrt", ["x"], ["z"], name="beside"),
    ]
    return model(*nodes, outputs=("y", "z")), {"x": np.ones(4, np.float32)}


def test_a_node_is_cut_off_by_making_its_result_an_input(chain: tuple[onnx.ModelProto, Mapping[str, Array]]) -> None:
    whole, inputs = chain
    cut = without_node(pruned(whole, ["y"]), whole.graph.node[1], evaluate_model(whole, inputs))
    assert [node.name for node in cut.graph.node] == ["third"]
    assert [each.name for each in cut.graph.input] == ["b"]
