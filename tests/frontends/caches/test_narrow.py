"""Caches of ONNX models and PyTorch programs in 16 and 8 bits: recognised by what happens to their elements."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest
from onnx.parser import parse_model

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError
from s2s.options import Cache, CompileOptions
from s2s.testing import decoders
from s2s.testing.decoders import Config
from s2s.testing.decoders.reference import logits
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file
from support.threads import one_thread

ROOM, HEAD = 6, 8
BYTES = {"float32": 4 * HEAD, "float16": 2 * HEAD, "int8": HEAD + 4}
"""The bytes of the numbers of a head at a position."""
BOUNDS = {"float32": 1e-6, "float16": 2e-3, "int8": 2e-2}
WRITTEN = f"""(float[2,1,{HEAD}] row, int64[1] position, float[2,3,{HEAD}] q, float[2,{ROOM},{HEAD}] past)
  => (float[2,3,{HEAD}] y, float[2,{ROOM},{HEAD}] present)
<int64[3] shape = {{2, 1, {HEAD}}}, int64[3] column = {{1, 1, 1}}>
{{ at0 = Reshape (position, column) at = Expand (at0, shape)
   present = ScatterElements <axis = 1> (past, at, row)
   keys = Transpose <perm = [0, 2, 1]> (present) s = MatMul (q, keys) p = Softmax <axis = -1> (s)
   y = MatMul (p, present) }}"""
TRANSPOSED = f"""(float[2,{HEAD},1] row, int64[1] position, float[2,3,{HEAD}] q, float[2,{HEAD},{ROOM}] past)
  => (float[2,3,{ROOM}] y, float[2,{HEAD},{ROOM}] present)
<int64[3] shape = {{2, {HEAD}, 1}}, int64[3] column = {{1, 1, 1}}>
{{ at0 = Reshape (position, column) at = Expand (at0, shape)
   present = ScatterElements <axis = 2> (past, at, row) y = MatMul (q, present) }}"""
SHIFTED = f"""(float[2,1,{HEAD}] row, int64[1] position, float[2,3,{HEAD}] q, float[2,{ROOM},{HEAD}] past)
  => (float[2,3,{ROOM}] y, float[2,{ROOM},{HEAD}] present)
<int64[1] one = {{1}}, int64[1] end = {{1000}}, int64 zero = {{0}}>
{{ kept = Slice (past, one, end, one) present = Concat <axis = 1> (kept, row)
   keys = Transpose <perm = [0, 2, 1]> (present) s0 = MatMul (q, keys)
   unused = Cast <to = 1> (position) nothing = Sub (unused, unused) y = Add (s0, nothing) }}"""
SELECTED = f"""(float[2,1,{HEAD}] row, int64[1] position, float[2,3,{HEAD}] q, float[2,{ROOM},{HEAD}] past)
  => (float[2,3,{ROOM}] y, float[2,{ROOM},{HEAD}] present)
<int64[3] places = {{1, {ROOM}, 1}}, int64[{ROOM}] numbers = {{0, 1, 2, 3, 4, 5}}>
{{ is_new0 = Equal (numbers, position) is_new = Reshape (is_new0, places)
   present = Where (is_new, row, past) total = ReduceSum <keepdims = 0> (present)
   keys = Transpose <perm = [0, 2, 1]> (present) s = MatMul (q, keys) y = Add (s, total) }}"""
GRAPHS = {"written": WRITTEN, "transposed": TRANSPOSED, "shifted": SHIFTED, "selected": SELECTED}


def steps(network: Artifact, count: int, row: tuple[int, ...]) -> list[Array]:
    """What `network` gives in `count` runs with seeded inputs."""
    rng, found = np.random.default_rng(4), list[Array]()
    for at in range(count):
        given = {
            "row": rng.standard_normal(row),
            "position": np.array([at]),
            "q": 0.3 * rng.standard_normal((2, 3, HEAD)),
        }
        typed = {name: each.astype(np.float32) if name != "position" else each for name, each in given.items()}
        found.append(network.run(typed)["y"])
    return found


def compiled(source: Any, cache: Cache, states: Mapping[str, str], **options: Any) -> Artifact:
    return compile_artifact(source, CompileOptions(target="c", states=states, cache=cache, **options))


@pytest.mark.sample(3)
@pytest.mark.parametrize("cache", ["float16", "int8"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_rows_of_a_cache_take_fewer_bytes_and_give_nearly_the_same(tmp_path: Path, graph: str, cache: Cache):
    file, row = onnx_file(GRAPHS[graph], tmp_path), (2, HEAD, 1) if graph == "transposed" else (2, 1, HEAD)
    with compiled(file, "float32", {"past": "present"}) as exact, compiled(file, cache, {"past": "present"}) as narrow:
        assert narrow.info.state_size == 2 * ROOM * BYTES[cache]
        wanted, found = (np.stack(steps(each, ROOM, row)) for each in (exact, narrow))
        assert narrow.verify().passed
    bound = {"float16": 2.0**-9, "int8": 2.0**-6}[cache]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=bound * np.abs(wanted).max())
    assert not np.array_equal(found, wanted)


@pytest.mark.sample(2)
@pytest.mark.parametrize("tokens", [1, 5])
@pytest.mark.parametrize("cache", ["float16", "int8"])
def test_the_decoder_of_an_onnx_model_gives_the_logits_of_the_reference(cache: Cache, tokens: int):
    """Its caches take as many bytes as those of a model that is exported with narrow ones."""
    config = Config(length=16)
    text = np.random.default_rng(0).integers(0, 64, 15)
    expected, last = logits(replace(config, cache=cache), text.tolist()), {"last": np.array([tokens - 1])}
    model = decoders.make_model(config, tokens=tokens)
    with compiled(model, cache, decoders.states(config), name="decoder") as network:
        assert network.info.state_size == 2 * 2 * 2 * 16 * BYTES[cache]
        for at in range(0, 15, tokens):
            given = {"token": text[at : at + tokens], "position": np.array([at]), **(last if tokens > 1 else {})}
            found = network.run(given)["logits"][0]
            wanted = expected[at + tokens - 1]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=5e-5 * np.abs(expected).max())


GROUPED = f"""(float[1,1,32] q, float[1,1,16] k, float[1,1,16] v, int32[1] lengths,
   float[1,2,{ROOM},8] past_key, float[1,2,{ROOM},8] past_value)
  => (float[1,1,32] y, float[1,2,{ROOM},8] present_key, float[1,2,{ROOM},8] present_value)
<int32 total = {{{ROOM}}}>
{{ y, present_key, present_value = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2>
     (q, k, v, past_key, past_value, lengths, total) }}"""
PASTS = {"past_key": "present_key", "past_value": "present_value"}


def model_file(folder: Path) -> Path:
    model = parse_model(f'<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]> agraph {GROUPED}')
    (folder / "grouped.onnx").write_bytes(model.SerializeToString())
    return folder / "grouped.onnx"


@pytest.mark.parametrize("cache", ["float32", "float16", "int8"])
def test_grouped_query_attention_keeps_its_cache_in_place(tmp_path: Path, cache: Cache):
    file, runtime = model_file(tmp_path), onnxruntime
    session: Any = runtime.InferenceSession(str(file), one_thread(), providers=["CPUExecutionProvider"])
    caches: dict[str, Array] = {name: np.zeros((1, 2, ROOM, 8), np.float32) for name in PASTS}
    rng = np.random.default_rng(1)
    with compiled(file, cache, PASTS) as network:
        assert network.info.state_size == 2 * 2 * ROOM * BYTES[cache]
        assert network.info.arena_size < network.info.state_size + 900, "a copy of a cache is in the arena"
        for at in range(ROOM):
            given: dict[str, Array] = {
                name: rng.standard_normal((1, 1, 32 if name == "q" else 16)).astype(np.float32) for name in "qkv"
            }
            lengths: dict[str, Array] = {"lengths": np.array([at], np.int32)}
            expected, *presents = session.run(None, {**given, **lengths, **caches})
            caches = dict(zip(PASTS, presents, strict=True))
            found = network.run({**given, **lengths})["y"]
            np.testing.assert_allclose(found, expected, rtol=0, atol=BOUNDS[cache])
            with pytest.raises(InputError, match="out of range"):
                network.run({**given, "lengths": np.array([ROOM], np.int32)})


def test_states_that_are_computed_are_no_caches(tmp_path: Path):
    text = "(float[4] x, float[4] old) => (float[4] y, float[4] new) { new = Add (x, old) y = Tanh (new) }"
    with pytest.raises(InputError, match=r"--cache int8: no state of the model is a cache .*\(its states: 'old'\)"):
        compiled(onnx_file(text, tmp_path), "int8", {"old": "new"})
    with pytest.raises(InputError, match=r"\(its states: none\); name caches by --state"):
        compiled(onnx_file(WRITTEN, tmp_path), "int8", {})


def test_rings_are_for_gguf_files(tmp_path: Path):
    with pytest.raises(
        InputError, match=r"--cache int8-ring: the model itself says where rows are written.*; take int8"
    ):
        compiled(onnx_file(WRITTEN, tmp_path), "int8-ring", {"past": "present"})
