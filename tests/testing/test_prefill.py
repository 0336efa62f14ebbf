"""Decoders that take several tokens a run: equal to as many steps, over one state and one set of weights."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from s2s.artifact import Artifact, compile_artifact
from s2s.cli.main import run as run_cli
from s2s.errors import InputError
from s2s.joint.artifact import together
from s2s.options import CompileOptions
from s2s.testing import decoders
from s2s.testing.decoders import Config
from s2s.testing.decoders.reference import logits
from s2s.types.dtypes import Array
from support.onnx_text import onnx_file

LLAMA = Config(bits=8, int8_activations=True, width=64, layers=1, hidden=96, length=24)
GPT = Config(kind="gpt", layers=1, heads=4, kv_heads=4, length=24)
TOKENS = 10


def compiled(config: Config, tokens: int, name: str, target: str = "c") -> Artifact:
    model = decoders.make_model(config, tokens=tokens)
    return compile_artifact(model, CompileOptions(states=decoders.states(config), name=name, target=target))


def text(config: Config, count: int) -> Array:
    return np.random.default_rng(4).integers(0, config.vocabulary, count)


def steps(network: Artifact, tokens: Array) -> Array:
    """The logits behind the last token, one token a run."""
    runs = [network.run({"token": tokens[at : at + 1], "position": np.array([at])}) for at in range(len(tokens))]
    return runs[-1]["logits"]


@pytest.mark.parametrize("config", [LLAMA, GPT], ids=["llama", "gpt"])
def test_several_tokens_at_once_give_the_logits_of_as_many_steps(config: Config):
    tokens = text(config, TOKENS + 6)
    with compiled(config, TOKENS, "many") as many, compiled(config, 1, "one") as one:
        given = {"token": tokens[:TOKENS], "position": np.array([0]), "last": np.array([TOKENS - 1])}
        first = many.run(given)["logits"]
        np.testing.assert_allclose(first, steps(one, tokens[:TOKENS]), rtol=0, atol=1e-4)
        padded = np.concatenate([tokens[TOKENS:], np.zeros(TOKENS - 6, np.int64)])
        given = {"token": padded, "position": np.array([TOKENS]), "last": np.array([5])}
        second = many.run(given)["logits"]
        one.reset()
        np.testing.assert_allclose(second, steps(one, tokens), rtol=0, atol=1e-4)


RINGS = {
    "llama": Config(length=8, context=40),
    "llama, float16": Config(length=8, context=40, cache="float16"),
    "llama, int8": Config(layers=1, length=8, context=40, cache="int8"),
    "gpt": Config(kind="gpt", kv_heads=4, length=8, context=40),
}


@pytest.mark.parametrize("config", RINGS.values(), ids=RINGS)
def test_runs_of_several_tokens_go_on_in_a_full_ring(config: Config):
    """They overwrite positions that their first tokens attend to; padded rows leave the ring as it was."""
    tokens, runs = text(config, config.positions), 0
    expected = logits(config, tokens.tolist())
    with compiled(config, 5, "many") as many:
        for count in (5, 3, 5, 2, 5, 1, 4, 5):
            given = np.concatenate([tokens[runs : runs + count], np.zeros(5 - count, np.int64)])
            found = many.run({"token": given, "position": np.array([runs]), "last": np.array([count - 1])})["logits"]
            runs += count
            np.testing.assert_allclose(found[0], expected[runs - 1], rtol=0, atol=1e-4 * np.abs(expected).max())
    assert runs > 3 * config.length


def test_a_step_goes_on_in_the_ring_that_a_run_of_several_tokens_has_changed():
    config = RINGS["llama"]
    tokens = text(config, 26)
    expected = logits(config, tokens.tolist())[-1]
    with compiled(config, 5, "many") as many, compiled(config, 1, "one") as one:
        first, second = many.stream(), one.stream()
        for at in range(0, 25, 5):
            first.run({"token": tokens[at : at + 5], "position": np.array([at]), "last": np.array([4])})
        second.restore(first.snapshot())
        found = second.run({"token": tokens[25:], "position": np.array([25])})["logits"]
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("tokens", [1, 4])
def test_positions_of_a_long_text_are_rotated_by_two_tables(tokens: int):
    """Scores depend on the distances of positions alone: the last of eight tokens in a window of eight has the logits
    of a text of eight, wherever it begins."""
    config = Config(layers=1, length=8, context=100_000)
    said, start, found = text(config, 8), 77_000, np.zeros((1, config.vocabulary))
    last: dict[str, Array] = {} if tokens == 1 else {"last": np.array([tokens - 1])}
    expected = logits(replace(config, context=None), said.tolist())[-1]
    with compiled(config, tokens, "distant") as network:
        assert network.report().weights < 200_000
        for at in range(0, 8, tokens):
            given = {"token": said[at : at + tokens], "position": np.array([start + at]), **last}
            found = network.run(given)["logits"]
        with pytest.raises(InputError, match="out of range"):
            network.run({"token": said[:tokens], "position": np.array([101_000]), **last})
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_both_networks_have_one_set_of_weights_and_one_state():
    """On a target with vectors, where constants are packed for the instructions."""
    networks = [compiled(LLAMA, count, name, "x86-64-v4") for name, count in (("one", 1), ("many", TOKENS))]
    report = together(networks, name="both", share_state=True).report()
    assert report.shared_weights >= 0.99 * networks[0].report().weights
    assert report.arena == max(report.arenas.values())


def test_networks_share_no_states_that_differ():
    one, other = compiled(GPT, 1, "one"), compiled(replace(GPT, length=12), 1, "other")
    with pytest.raises(InputError, match="other: its state is not that of one; leave --share-state out"):
        together([one, other], name="both", share_state=True)
    with pytest.raises(InputError, match="--concurrent"):
        together([one], name="both", share_state=True, concurrent=True)
    with pytest.raises(InputError, match="fewer than two"):
        together([one], name="both", share_state=True)


def test_a_run_takes_no_more_tokens_than_the_cache_holds():
    with pytest.raises(InputError, match="tokens=25: the cache has 24 positions"):
        decoders.make_model(GPT, tokens=25)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--prefill", "8"], "m.onnx is no GGUF file; name the dimension of tokens, as sequence=8"),
        (["--prefill", "n=1"], "--prefill n=1: is no number of tokens from 2 on"),
        (["--prefill", "=8"], "--prefill =8: is no number of tokens"),
        (["--prefill", "n=8", "--dim", "n=4"], "gives the dimension n two sizes, 1 and 8; leave --dim n out"),
    ],
)
def test_what_prefill_says_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
):
    (tmp_path / "m.onnx").write_bytes(b"")
    assert run_cli(["compile", str(tmp_path / "m.onnx"), *options, "-o", str(tmp_path / "m")]) == 2
    assert said in capsys.readouterr().err


STEPS = """(float[2,n,8] row, int64[n] position, float[2,n,8] q, float[2,12,8] past)
  => (float[2,n,8] y, float[2,12,8] present)
<int64[3] column = {1, -1, 1}, float w = {0.5}>
{ at0 = Reshape (position, column) shape = Shape (row) at = Expand (at0, shape)
  present = ScatterElements <axis = 1> (past, at, row)
  keys = Transpose <perm = [0, 2, 1]> (present) s0 = MatMul (q, keys) s = Mul (s0, w) y = MatMul (s, present) }"""


@pytest.mark.parametrize("cache", ["float32", "int8"])
def test_prefill_and_decode_come_from_one_onnx_file(tmp_path: Path, cache: str):
    """Both functions work on one arena."""
    file, tree = onnx_file(STEPS, tmp_path), tmp_path / "tree"
    options = ["--prefill", "n=8", "--state", "past=present", "--cache", cache, "--target", "c", "--name", "step"]
    assert run_cli(["compile", str(file), *options, "-o", str(tree)]) == 0
    headers = [(tree / "include" / f"step_{part}.h").read_text(encoding="utf-8") for part in ("decode", "prefill")]
    wanted = f"_STATE_SIZE {2 * 12 * (32 if cache == 'float32' else 12)}u"
    assert all(wanted in " ".join(header.split()) for header in headers)
    subprocess.run(["make", "-s", "test"], cwd=tree, check=True, capture_output=True)


def test_a_row_of_a_cache_in_place_is_all_that_a_step_writes():
    code = "\n".join(compiled(GPT, 1, "one").tree().text(path) for path in ("src/one.c", "src/one_kernels.c"))
    kernel = code.partition("one_scatter_elements(float *y")[2].partition("\n}\n")[0]
    assert "(void)x;" in kernel
    assert json.dumps(kernel).count("for (") == 3
