"""Decoders that take several tokens a run: equal to as many steps, over one state and one set of weights."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from s2s.artifact import Artifact, compile_artifact
from s2s.cli.main import run as run_cli
from s2s.errors import InputError
from s2s.joint_artifact import together
from s2s.options import CompileOptions
from s2s.testing import decoders
from s2s.testing.decoders import Config
from s2s.types.dtypes import Array

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


def test_prefill_is_for_gguf_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "m.onnx").write_bytes(b"")
    assert run_cli(["compile", str(tmp_path / "m.onnx"), "--prefill", "8", "-o", str(tmp_path / "m")]) == 2
    assert "--prefill 8" in capsys.readouterr().err


def test_a_row_of_a_cache_in_place_is_all_that_a_step_writes():
    code = "\n".join(compiled(GPT, 1, "one").tree().text(path) for path in ("src/one.c", "src/one_kernels.c"))
    kernel = code.partition("one_scatter_elements(float *y")[2].partition("\n}\n")[0]
    assert "(void)x;" in kernel
    assert json.dumps(kernel).count("for (") == 3
