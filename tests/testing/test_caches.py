"""Caches of float16 and int8: how far they are from floats, in every executor, and for several tokens at once."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from s2s.artifact import compile_artifact
from s2s.cli.main import run as run_cli
from s2s.errors import InputError
from s2s.options import CacheType, CompileOptions, Executor
from s2s.testing import decoders
from s2s.testing.decoders import Config
from s2s.testing.decoders.reference import logits
from s2s.types.dtypes import Array
from support.c_compilers import require_target

CONFIG = Config(layers=1, length=12)
TOKENS = 9


def given(count: int) -> Array:
    return np.random.default_rng(3).integers(0, CONFIG.vocabulary, count)


def empty(model: onnx.ModelProto) -> dict[str, Array]:
    """The caches before the first token, by the names of their inputs."""
    types = {port.name: port.type.tensor_type for port in model.graph.input}
    return {
        name: np.zeros([dim.dim_value for dim in type.shape.dim], helper.tensor_dtype_to_np_dtype(type.elem_type))
        for name, type in types.items()
        if name.startswith("past_")
    }


def presents(cache: CacheType) -> dict[str, Array]:
    """All outputs of a step at position 4, with the cache as inputs and outputs."""
    model = decoders.make_model(replace(CONFIG, cache=cache))
    with compile_artifact(model, CompileOptions(target="c", name="decoder")) as artifact:
        return artifact.run({"token": np.array([5]), "position": np.array([4]), **empty(model)})


def test_a_cached_number_is_as_far_from_the_float_as_stated():
    exact, halves, bytes_ = (presents(cache) for cache in ("float32", "float16", "int8"))
    for name in ("present_key0", "present_value0"):
        row = exact[name][:, 4]
        assert np.abs(row).max() > 0.1
        smallest = np.maximum(np.abs(row) * 2.0**-11, 2.0**-25)
        assert (np.abs(halves[name][:, 4].astype(np.float64) - row) <= smallest).all()
        scales = bytes_[f"{name}_scale"][:, 4].astype(np.float64)
        largest = np.abs(row).max(-1, keepdims=True)
        np.testing.assert_allclose(scales, largest / 127, rtol=1e-6)
        assert (np.abs(bytes_[name][:, 4] * scales - row) <= largest / 254 * (1 + 1e-5)).all()
        assert not bytes_[name][:, [*range(4), *range(5, CONFIG.length)]].any()


@pytest.mark.parametrize("cache", ["float16", "int8"])
@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_both_executors_give_the_logits_of_the_reference(executor: Executor, cache: CacheType):
    config = replace(CONFIG, cache=cache)
    options = CompileOptions(target="c", executor=executor, name="decoder")
    tokens, model, found = given(TOKENS), decoders.make_model(config), list[Array]()
    caches = empty(model)
    with compile_artifact(model, options) as artifact:
        for at in range(TOKENS):
            made = artifact.run({"token": tokens[at : at + 1], "position": np.array([at]), **caches})
            found.append(made["logits"][0])
            caches = {past: made[present] for past, present in decoders.states(config).items()}
    expected = logits(config, tokens.tolist())
    np.testing.assert_allclose(np.stack(found), expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("target", ["c", "x86-64-v4"])
@pytest.mark.parametrize("cache", ["float16", "int8"])
def test_several_tokens_at_once_give_the_logits_of_the_reference(cache: CacheType, target: str):
    require_target(target)
    config = replace(CONFIG, cache=cache)
    options = CompileOptions(target=target, states=decoders.states(config), name="decoder")
    tokens = given(TOKENS)
    with compile_artifact(decoders.make_model(config, tokens=TOKENS), options) as artifact:
        run = {"token": tokens, "position": np.array([0]), "last": np.array([TOKENS - 1])}
        found = artifact.run(run)["logits"][0]
    expected = logits(config, tokens.tolist())[-1]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize(("cache", "size"), [("float32", 4 * 8), ("float16", 2 * 8), ("int8", 8 + 4)])
def test_the_tree_of_a_gguf_file_states_the_bytes_of_its_cache(tmp_path: Path, cache: CacheType, size: int):
    config = Config(width=32, heads=4, kv_heads=2, layers=1, hidden=64, length=12)
    decoders.write_gguf(tmp_path / "m.gguf", config, "Q8_0")
    arguments = ["compile", str(tmp_path / "m.gguf"), "--cache", cache, "--target", "c", "-o", str(tmp_path / "tree")]
    assert run_cli(arguments) == 0
    header = (tmp_path / "tree" / "include" / "m.h").read_text(encoding="utf-8")
    assert f"STATE_SIZE {2 * 2 * 12 * size}u" in " ".join(header.split())


def test_a_file_that_does_not_exist_is_said_to_be_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run_cli(["compile", str(tmp_path / "none.onnx"), "--cache", "int8", "-o", str(tmp_path / "tree")]) == 2
    assert "GGUF" not in (said := capsys.readouterr().err)
    assert "none.onnx" in said


def test_a_model_without_state_has_no_cache():
    with pytest.raises(InputError, match="--cache int8: no state of the model is a cache"):
        compile_artifact(decoders.make_model(CONFIG), CompileOptions(cache="int8"))
