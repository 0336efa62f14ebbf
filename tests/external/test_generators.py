"""Code generators from the option to the results: what they claim, and how what they claim sits in the tree."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.decisions.decision import Decision
from s2s.emit.call_comments import kernel_calls
from s2s.errors import InputError
from s2s.external import registry
from s2s.external.generator import Code, Region
from s2s.targets import Target
from support.external import Toy, registered


@pytest.fixture(autouse=True)
def toy() -> Iterator[Toy]:
    generator = Toy()
    with registered(generator):
        yield generator


def network(*, wide: bool = False) -> onnx.ModelProto:
    """Two products, one after the other, and a relu behind them; `wide` gives the first 40 columns."""
    inner = 40 if wide else 6
    random = np.random.default_rng(0)
    shapes = {"w": (8, inner), "v": (inner, 5)}
    weights = [numpy_helper.from_array(random.normal(size=s).astype(np.float32), n) for n, s in shapes.items()]
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], "one"),
        helper.make_node("MatMul", ["a", "v"], ["b"], "two"),
        helper.make_node("Relu", ["b"], ["y"], "relu"),
    ]
    return model(nodes, {"x": (4, 8)}, {"y": (4, 5)}, weights)


def model(nodes: Any, inputs: dict[str, Any], outputs: dict[str, Any], weights: Any) -> onnx.ModelProto:
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in ports.items()]
        for ports in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, "net", ends[0], ends[1], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def expected(x: np.ndarray, given: onnx.ModelProto) -> np.ndarray:
    w, v = (numpy_helper.to_array(each) for each in given.graph.initializer)
    return np.maximum(x @ w @ v, 0)


def decisions(**options: Any) -> dict[str, Decision]:
    found = api.compile(network(wide=options.pop("wide", False)), target="c", **options).decisions
    return {each.nodes: each for each in found if each.kind == "external"}


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("target", ["c", "host"])
def test_both_executors_call_the_code(target: str, executor: Literal["aot", "graph"]):
    x = np.random.default_rng(1).normal(size=(4, 8)).astype(np.float32)
    with api.compile(network(), target=target, executor=executor, external="toy=always") as artifact:
        np.testing.assert_allclose(artifact.run({"x": x})["y"], expected(x, network()), rtol=1e-5, atol=1e-5)


def test_all_levels_compute_what_the_code_computes():
    with api.compile(network(), target="c", external="toy=always") as artifact:
        found = artifact.verify(levels=True)
    assert found.passed
    assert found.levels is not None
    assert [each.level for each in found.levels.levels if not each.reason] == ["model", "graph", "tensor", "loop", "c"]


def test_neighbours_are_one_call_with_scratch():
    tree = api.compile(network(), target="c", name="net", external="toy=always").tree()
    assert tree.text("src/net.c").count("net_toy_region(") == 1
    assert "toy_product((float *)scratch + 0, packed_x2, y0, 4, 5, 6);" in tree.text("src/net_toy.c")
    assert tree.text("src/net_toy.c").count("static void toy_product") == 1


def test_own_constants_are_no_parameters_of_the_network():
    artifact = api.compile(network(), target="c", name="net", executor="graph", external="toy=always")
    tree = artifact.tree()
    assert "const float net_one_" in tree.text("src/net_weights.h").replace("extern S2S_ALIGNED(8) ", "")
    assert "packed" not in tree.text("net.graph.json")
    ours = api.compile(network(), target="c", name="net", executor="graph").tree()
    assert len(b"".join(_pieces(tree.files["net.params"]))) < len(b"".join(_pieces(ours.files["net.params"])))


def _pieces(content: Any) -> list[bytes]:
    from s2s.emit.stream import pieces

    return list(pieces(content))


def test_without_the_option_nothing_changes():
    """Registered is not used: the trees have the same bytes, and no decision asks."""
    tree = api.compile(network(), target="c").tree()
    registry.remove_codegen("toy")
    other = api.compile(network(), target="c").tree()
    registry.register_codegen(Toy())
    assert {path: _pieces(tree.files[path]) for path in tree} == {path: _pieces(other.files[path]) for path in other}
    assert decisions() == {}


def test_a_refusal_is_the_reason_why_not():
    found = decisions(external="toy=always", wide=True)
    assert found["one"].chosen == "s2s"
    assert [each.refused for each in found["one"].candidates if each.note == "toy"] == ["40 columns, 32 at most"]
    assert found["two"].chosen == "toy"
    assert [each.refused for each in found["relu"].candidates if each.note == "toy"] == ["no pattern matches"]


@pytest.mark.parametrize(("ratio", "winner"), [(0.5, "toy"), (2.0, "s2s"), (None, "s2s")])
def test_auto_takes_the_cheaper_one(toy: Toy, ratio: float | None, winner: str):
    toy.ratio = ratio
    found = decisions(external="toy=auto")
    assert found["one"].chosen == winner
    assert found["one"].why == "the fewest cycles"


def test_never_is_obeyed_and_said():
    found = decisions(external={"toy": "never"})
    assert {each.chosen for each in found.values()} == {"s2s"}
    assert [each.refused for each in found["one"].candidates if each.note == "toy"] == ["--external toy=never"]


def test_decisions_given_back_give_the_same_tree():
    first = api.compile(network(), target="c", external="toy=always")
    again = api.compile(network(), target="c", external="toy=always", decisions=first.decisions)
    assert {path: _pieces(c) for path, c in first.tree().files.items()} == {
        path: _pieces(c) for path, c in again.tree().files.items()
    }


def test_a_decision_alone_claims():
    subject = decisions(external="toy=always")["two"].subject
    given = {"format": 1, "decisions": [{"kind": "external", "subject": subject, "chosen": "toy"}]}
    found = decisions(decisions=given)
    assert (found["two"].chosen, found["two"].by) == ("toy", "user")
    assert found["one"].chosen == "s2s"


def test_a_decision_for_what_is_refused_is_refused():
    subject = decisions(external="toy=always", wide=True)["one"].subject
    given = {"format": 1, "decisions": [{"kind": "external", "subject": subject, "chosen": "toy"}]}
    with pytest.raises(InputError, match="toy is not legal: 40 columns, 32 at most"):
        decisions(decisions=given, wide=True)


def installed(monkeypatch: pytest.MonkeyPatch, load: Callable[[], Any]) -> None:
    """Pretend that a package brings an entry point whose object `load` returns."""
    point = SimpleNamespace(name="toy", value="package:Toy", load=load)

    def points(group: str) -> list[SimpleNamespace]:
        return [point] if group == "s2s.codegens" else []

    monkeypatch.setattr(registry, "entry_points", points)
    registry._installed.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_entry_points_bring_generators(monkeypatch: pytest.MonkeyPatch):
    class Other(Toy):
        name = "other"

    installed(monkeypatch, lambda: Other)
    assert decisions(external="other=always")["one"].chosen == "other"
    registry._installed.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_an_entry_point_that_brings_none_is_refused(monkeypatch: pytest.MonkeyPatch):
    installed(monkeypatch, lambda: None)
    with pytest.raises(InputError, match=r"code generator toy \(package:Toy\): cannot be made"):
        api.compile(network(), external="toy")
    registry._installed.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_the_profile_has_a_line_for_the_call():
    artifact = api.compile(network(), target="c", name="net", external="toy=always")
    timed = kernel_calls(artifact.compilation.at("c").module)
    assert (timed[0].kernel, timed[0].nodes) == ("net_toy_region", "one, two")


def test_unknown_names_and_modes_are_refused():
    with pytest.raises(InputError, match="--external nobody: there is no such generator; there are blas, "):
        api.compile(network(), external="nobody")
    with pytest.raises(InputError, match="--external toy=often: is no mode; write NAME=always"):
        api.compile(network(), external="toy=often")


def test_costs_are_those_of_the_operators():
    """4 x 8 x 6 and 4 x 6 x 5 multiply-adds; weights of 48 and 30 numbers; 32 numbers in and 20 out."""
    from s2s.compilation import Compilation
    from s2s.options import CompileOptions

    compilation = Compilation(network(), CompileOptions(target="c", external=(("toy", "always"),)))
    cost = compilation.costs["net_toy_region"]
    assert cost.operations.floats == 2 * (4 * 8 * 6 + 4 * 6 * 5)
    assert cost.constants == 4 * (48 + 30)
    assert cost.activations == 4 * (32 + 20)


def test_a_written_tree_builds_with_make(tmp_path: Path):
    import subprocess

    tree = api.compile(network(), target="c", name="net", external="toy=always").write(tmp_path / "net")
    subprocess.run(["make", "-C", str(tree), "test"], check=True, capture_output=True)


@st.composite
def random_networks(draw: st.DrawFn) -> onnx.ModelProto:
    """Products with constants, relus and sums over earlier values, all of shape 3x3; all values that nobody reads are
    summed up at the end."""
    random = np.random.default_rng(draw(st.integers(0, 99)))
    values, nodes, weights = ["x"], list[Any](), list[Any]()
    for number in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(["MatMul", "MatMul", "Relu", "Add"]))
        read = [draw(st.sampled_from(values)) for _ in range(2 if kind == "Add" else 1)]
        if kind == "MatMul":
            weights.append(numpy_helper.from_array(random.normal(size=(3, 3)).astype(np.float32), f"w{number}"))
            read.append(f"w{number}")
        nodes.append(helper.make_node(kind, read, [f"v{number}"], f"n{number}"))
        values.append(f"v{number}")
    used = {name for node in nodes for name in node.input}
    nodes.append(helper.make_node("Sum", [name for name in values if name not in used] or ["x"], ["y"], "sum"))
    return model(nodes, {"x": (3, 3)}, {"y": (3, 3)}, weights)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random_networks())
def test_random_networks_keep_their_numbers(given_model: onnx.ModelProto):
    """Whatever regions arise, the module is valid and computes the same."""
    from s2s.interpret.graph import run_graph
    from s2s.stages.read import Read

    compilation = api.compile(given_model, target="c", external="toy=always").compilation
    before, after = compilation.at("simplify"), compilation.at("graph")
    after.module.verify()
    x = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
    assert compilation.facts(Read).inputs
    wanted = run_graph(before.module, [x], before.weights)
    np.testing.assert_array_equal(run_graph(after.module, [x], after.weights), wanted)


def test_constants_of_the_generator_have_tvms_name(toy: Toy):
    """`get_const_vars` of the class, for one region, and of the module that the library of the network imports."""
    from s2s.tvm import relay
    from s2s.tvm.relay.frontend import from_onnx

    asked: list[list[str]] = []
    code = toy.code

    def noted(region: Region, target: Target) -> Code:
        toy.code = code
        asked.append(toy.get_const_vars(region, target))
        return code(region, target)

    toy.code = noted
    module, params = from_onnx(network())
    library = relay.build(
        module, target="c", params=params, executor=relay.backend.Executor("graph"), external="toy=always"
    )
    assert asked == [["packed_x1", "packed_x2"]]
    (generated,) = library.get_lib().imported_modules
    names = generated["get_const_vars"]()
    assert [name.partition("packed_")[2] for name in names] == ["x1", "x2"]
    assert not set(names) & set(library.get_params())
    (function,) = generated["get_func_names"]()
    assert generated["get_symbol"]() == function
    assert f"void {function}(" in generated.get_source()
    assert library.get_devices() == ["toy"]
