"""Caches that grow by concatenation from run to run: state of one size, equal to the exported decoder run by run."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest
from onnx import ModelProto, TensorProto, helper

from s2s.artifact import Artifact, compile_artifact
from s2s.cli.main import run as run_cli
from s2s.errors import InputError, UnsupportedError
from s2s.options import Cache, CompileOptions
from s2s.types.dtypes import Array
from s2s.types.sizes import DimSize, SizeRange
from support.optimum_decoder import HEAD, HEADS, PAST, TOKENS, VOCABULARY, Stepwise, optimum_decoder, step

ROOM = 24
STATES = {"past_key_values.*": "present.*"}
DIMS: dict[str, DimSize] = {PAST: SizeRange(0, ROOM - 1), TOKENS: 1, "batch_size": 1}


def compiled(total: str = f"{PAST} + {TOKENS}", **options: Any) -> Artifact:
    given: dict[str, Any] = {"target": "c", "states": STATES, "dims": DIMS, **options}
    return compile_artifact(optimum_decoder(total=total), CompileOptions(**given))


def text(count: int) -> Array:
    return np.random.default_rng(3).integers(0, VOCABULARY, count)


def test_twenty_steps_give_the_logits_of_the_exported_decoder():
    """The caches take their bytes once, and another text begins without a reset, at position 0."""
    reference = Stepwise(optimum_decoder())
    with compiled() as network:
        assert network.info.state_size == 2 * 2 * HEADS * ROOM * HEAD * 4
        assert [port.name for port in network.info.inputs] == ["input_ids", "attention_mask", "position_ids"]
        for at, token in enumerate(text(20)):
            wanted = reference.run(step(np.array([token]), at))
            np.testing.assert_allclose(network.run(step(np.array([token]), at))["logits"], wanted, rtol=0, atol=1e-5)
        again = Stepwise(optimum_decoder()).run(step(np.array([7]), 0))
        np.testing.assert_allclose(network.run(step(np.array([7]), 0))["logits"], again, rtol=0, atol=1e-5)


def test_a_position_of_the_text_may_be_masked():
    reference, tokens = Stepwise(optimum_decoder()), text(6)
    with compiled() as network:
        for at, token in enumerate(tokens):
            given = step(np.array([token]), at)
            given["attention_mask"][0, 0] = at == 0
            wanted = reference.run(given)
            np.testing.assert_allclose(network.run(given)["logits"], wanted, rtol=0, atol=1e-5)


@pytest.mark.sample(1)
@pytest.mark.parametrize("total", ["total_sequence_length", f"{PAST} + 1"])
def test_the_axis_of_all_positions_may_have_another_name(total: str):
    """Those of exporters that name the axis of the caches after a run as that of the attention mask."""
    reference = Stepwise(optimum_decoder(total=total))
    with compiled(total) as network:
        assert list(network.compilation.options.dims) == [TOKENS, "batch_size", "total_sequence_length"]
        for at, token in enumerate(text(4)):
            wanted = reference.run(step(np.array([token]), at))
            np.testing.assert_allclose(network.run(step(np.array([token]), at))["logits"], wanted, rtol=0, atol=1e-5)


def test_verify_compares_with_onnxruntime():
    """And level with level: each goes on with its own caches from run to run."""
    with compiled() as network:
        found = network.verify(levels=True)
    assert found.passed
    assert "onnxruntime" in found.against


@pytest.mark.sample(1)
@pytest.mark.parametrize(("cache", "bytes_of_a_row", "bound"), [("float16", 2 * HEAD, 2e-3), ("int8", HEAD + 4, 2e-2)])
def test_caches_that_grow_are_kept_in_fewer_bytes(cache: Cache, bytes_of_a_row: int, bound: float):
    """And `verify` has the graph interpreter run each step with the size of that step."""
    reference = Stepwise(optimum_decoder())
    with compiled(cache=cache) as network:
        assert network.info.state_size == 2 * 2 * HEADS * ROOM * bytes_of_a_row
        for at, token in enumerate(text(20)):
            wanted = reference.run(step(np.array([token]), at))
            found = network.run(step(np.array([token]), at))["logits"]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=bound * np.abs(wanted).max())
        assert network.verify(levels=True).passed


def test_the_command_takes_the_names_with_a_star(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, tree = tmp_path / "decoder.onnx", tmp_path / "tree"
    file.write_bytes(optimum_decoder(layers=1).SerializeToString())
    sizes = [f"--dim={PAST}=0..7", f"--dim={TOKENS}=1", "--dim=batch_size=1"]
    command = ["compile", str(file), "--target", "c", "--state", "past_key_values.*=present.*", *sizes, "-o", str(tree)]
    assert run_cli(command) == 0, capsys.readouterr().err
    assert "int32_t total_sequence_length;" in (tree / "include" / "decoder.h").read_text()


def test_prefill_and_decode_share_the_caches():
    """What a run of several tokens has put in, single steps go on with; rows behind those that count do no harm."""
    reference, tokens, count = Stepwise(optimum_decoder()), text(18), 8
    with compiled(name="one") as one, compiled(name="many", dims={**DIMS, TOKENS: count}) as many:
        before, after = many.stream(), one.stream()
        for first in (0, count):
            wanted = reference.run(step(tokens[first : first + count], first))
            found = before.run(step(tokens[first : first + count], first))["logits"]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
        after.restore(before.snapshot())
        for at in range(2 * count, 18):
            wanted = reference.run(step(tokens[at : at + 1], at))
            np.testing.assert_allclose(after.run(step(tokens[at : at + 1], at))["logits"], wanted, rtol=0, atol=1e-5)


def test_prefill_and_decode_come_from_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, tree = tmp_path / "decoder.onnx", tmp_path / "tree"
    file.write_bytes(optimum_decoder(layers=1).SerializeToString())
    options = ["--state=past_key_values.*=present.*", f"--dim={PAST}=0..11", "--dim=batch_size=1", "--prefill"]
    assert run_cli(["compile", str(file), "--target", "c", *options, f"{TOKENS}=8", "-o", str(tree)]) == 0
    assert "shared" in capsys.readouterr().out
    subprocess.run(["make", "-s", "test"], cwd=tree, check=True, capture_output=True)


def test_inspect_proposes_the_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "decoder.onnx"
    file.write_bytes(optimum_decoder().SerializeToString())
    assert run_cli(["inspect", str(file)]) == 0
    assert "--state 'past_key_values.*=present.*' --dim past_sequence_length=0..127" in capsys.readouterr().out


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no bound": ({"dims": {TOKENS: 1, "batch_size": 1}}, "--dim past_sequence_length=0..127"),
    "no size of tokens": ({"dims": {PAST: SizeRange(0, 7), "batch_size": 1}}, "--dim sequence_length=1"),
    "no such input": ({"states": {"past.*": "present.*"}}, "no input of the model is called so"),
    "no such output": ({"states": {"past_key_values.*": "new.*"}}, "no output of this name"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_says_what_to_give(case: str):
    options, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        compiled(**options)


def test_a_model_without_an_input_of_all_positions_is_refused():
    model = optimum_decoder()
    model.graph.input[1].type.tensor_type.shape.dim[1].dim_param = "other"
    for value in model.graph.output[1:]:
        value.type.tensor_type.shape.dim[2].dim_param = "grown"
    with pytest.raises(UnsupportedError, match="no input spans the positions"):
        compile_artifact(model, CompileOptions(target="c", states=STATES, dims=DIMS))


def merged_decoder() -> ModelProto:
    """A decoder as optimum merges two into one: all of it is in a branch."""
    model = optimum_decoder(layers=1)
    graph = model.graph
    ends = [helper.make_tensor_value_info(each.name, TensorProto.FLOAT, None) for each in graph.output]
    branch = helper.make_graph(list(graph.node), "with_past", [], ends)
    for each in graph.output:
        each.name = f"{each.name}.merged"
    names = [each.name for each in graph.output]
    graph.input.append(helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1]))
    del graph.node[:]
    graph.node.append(helper.make_node("If", ["use_cache_branch"], names, then_branch=branch, else_branch=branch))
    return model


def attention_decoder() -> ModelProto:
    """A decoder whose caches the operator of attention makes longer."""
    past, total = [1, HEADS, PAST, HEAD], [1, HEADS, "total", HEAD]
    shapes: dict[str, Sequence[int | str]] = {name: [1, HEADS, 1, HEAD] for name in "qkv"}
    shapes |= {"past_key_values.key": past, "past_key_values.value": past}
    results: dict[str, Sequence[int | str]] = {"y": shapes["q"], "present.key": total, "present.value": total}
    node = helper.make_node("Attention", ["q", "k", "v", "", *list(shapes)[3:]], list(results))
    inputs, outputs = (
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in each.items()]
        for each in (shapes, results)
    )
    graph = helper.make_graph([node], "attention", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


GROWN_ELSEWHERE: dict[str, tuple[ModelProto, str, str]] = {
    "branch": (merged_decoder(), "present.*.merged", "in the operator If; .*--no-post-process"),
    "attention": (attention_decoder(), "present.*", "in the operator Attention; .*with opset 22"),
    "another operator": (optimum_decoder(writer="Identity"), "present.*", "in the operator Identity; .*Concat"),
}


@pytest.mark.parametrize("case", GROWN_ELSEWHERE)
def test_caches_that_no_concatenation_of_the_graph_makes_longer_are_refused(case: str):
    model, present, text = GROWN_ELSEWHERE[case]
    with pytest.raises(UnsupportedError, match=f"--state past_key_values.*the cache grows from run to run, {text}"):
        compile_artifact(model, CompileOptions(target="c", states={"past_key_values.*": present}, dims=DIMS))


def test_a_longer_output_is_no_state_of_the_input():
    model = onnx.parser.parse_model(
        '<ir_version: 9, opset_import: ["": 17]> g (float[2,4] past, float[1,4] x)'
        "=> (float[3,4] new, float[1,4] y) { y = Neg (x) new = Concat <axis = 0> (x, past) }"
    )
    with pytest.raises(InputError, match=r"one type, or, for a cache that grows, an output that is Concat\(input, new"):
        compile_artifact(model, CompileOptions(target="c", states={"past": "new"}))
