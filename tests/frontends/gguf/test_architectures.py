"""Decoders of GGUF files of each architecture, type of tensor and scaling of rotary positions: the emitted C against
doubles in numpy."""

from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.gguf.decoder import read_decoder
from s2s.options import Activations, CompileOptions
from support.compiled import quickly_loaded
from support.gguf_models import BASE, Model, Real, logits, plain_angles, write

LLAMA, QWEN2, QWEN3 = Model(), Model("qwen2"), Model("qwen3", head=24, layers=2)
WIDE = Model(width=256, head=64, hidden=256)
BOUND = 2e-5


def check(
    path: Path,
    model: Model,
    angles: Real,
    magnitude: float = 1.0,
    activations: Activations = "float",
    bound: float = BOUND,
) -> None:
    """Compare the logits of each step with those of the whole sequence."""
    weights = write(path, model)
    tokens = np.random.default_rng(2).integers(0, model.vocabulary, model.length).tolist()
    expected = logits(model, weights, tokens, angles, magnitude)
    with compile_artifact(str(path), CompileOptions(target="c", activations=activations)) as artifact:
        network = quickly_loaded(artifact)
        steps = [
            network.run({"token": np.array([token]), "position": np.array([at])}) for at, token in enumerate(tokens)
        ]
    found = np.concatenate([step["logits"] for step in steps])
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * np.abs(expected).max())


@pytest.mark.sample(3)
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize(
    "model", [LLAMA, QWEN2, QWEN3, replace(LLAMA, head=20)], ids=lambda each: f"{each.architecture}{each.head}"
)
def test_each_architecture_gives_the_logits_of_the_whole_sequence(tmp_path: Path, model: Model, tied: bool):
    """Heads of any width, with a head of their own for the logits or without."""
    check(tmp_path / "m.gguf", replace(model, tied=tied), plain_angles(model))


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"])
def test_each_type_of_tensors_gives_the_logits_of_its_weights(tmp_path: Path, kind: str):
    check(tmp_path / "m.gguf", replace(LLAMA, kind=kind), plain_angles(LLAMA))


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("kind", "tied"),
    [
        *((kind, True) for kind in ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "TQ1_0", "MXFP4")),
        *((kind, False) for kind in ("Q5_K", "IQ3_S", "TQ2_0")),
    ],
)
def test_each_k_quant_gives_the_logits_of_its_weights(tmp_path: Path, kind: str, tied: bool):
    check(tmp_path / "m.gguf", replace(WIDE, kind=kind, tied=tied), plain_angles(WIDE))


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["Q4_K", "Q5_K", "Q5_0"])
def test_activations_of_8_bits_move_the_logits_a_little(tmp_path: Path, kind: str):
    check(tmp_path / "m.gguf", replace(WIDE, kind=kind), plain_angles(WIDE), activations="model", bound=3e-2)


def test_files_mix_types_as_quantisers_write_them(tmp_path: Path):
    """Q4_K_M: the embedding, which is the last layer too, is Q6_K."""
    check(tmp_path / "m.gguf", replace(WIDE, kind="Q4_K", embedding="Q6_K"), plain_angles(WIDE))


def test_a_tensor_divides_the_angles_of_rotary_positions(tmp_path: Path):
    """As files of Llama 3.1 have it."""
    model = replace(LLAMA, has_factors=True)
    factors = write(tmp_path / "factors.gguf", model)["rope_freqs.weight"]
    check(tmp_path / "m.gguf", model, plain_angles(model) / factors)


def test_linear_scaling_divides_all_angles(tmp_path: Path):
    model = replace(LLAMA, metadata={"rope.scaling.type": "linear", "rope.scaling.factor": 4.0})
    check(tmp_path / "m.gguf", model, plain_angles(model) / 4)
    old = replace(QWEN2, metadata={"rope.scale_linear": 2.0})
    check(tmp_path / "old.gguf", old, plain_angles(old) / 2)


def test_yarn_divides_slow_angles_and_enlarges_what_is_rotated(tmp_path: Path):
    """Within 4096 positions, pair 0 turns 652 times and pair 5 0.1 times; those between turn 32 times and once where
    the pair is 1.75 and 3.75, rounded to 1 and 4."""
    scaling = {"type": "yarn", "factor": 4.0, "original_context_length": 4096.0}
    model = replace(QWEN2, metadata={f"rope.scaling.{key}": value for key, value in scaling.items()})
    slow = np.array([0, 0, 1 / 3, 2 / 3, 1, 1, 1, 1])
    turns = [8 * log(4096 / (number * 2 * np.pi)) / log(BASE) for number in (32, 1)]
    assert [int(turns[0]), int(turns[1]) + 1] == [1, 4]
    angles = plain_angles(model) * (1 - slow) + plain_angles(model) / 4 * slow
    check(tmp_path / "m.gguf", model, angles, 1 + 0.1 * log(4))


@pytest.mark.sample(3)
@pytest.mark.parametrize("model", [LLAMA, QWEN2, replace(LLAMA, head=20)], ids=["llama", "qwen2", "odd"])
def test_some_numbers_of_a_head_may_be_rotated(tmp_path: Path, model: Model):
    partial = replace(model, rotated=8)
    check(tmp_path / "m.gguf", partial, plain_angles(partial))


@pytest.mark.parametrize(("first", "used"), [(4.0, "long"), (4096.0, "short")])
def test_longrope_takes_the_factors_for_the_length_of_texts(tmp_path: Path, first: float, used: str):
    names = tuple(f"rope_factors_{each}.weight" for each in ("long", "short"))
    scaling = {"type": "longrope", "original_context_length": first, "attn_factor": 1.25}
    model = replace(LLAMA, factors=names, metadata={f"rope.scaling.{key}": value for key, value in scaling.items()})
    factors = write(tmp_path / "factors.gguf", model)[f"rope_factors_{used}.weight"]
    check(tmp_path / "m.gguf", model, plain_angles(model) / factors, 1.25)


@pytest.mark.parametrize("window", [1, 3, 8, 100])
def test_a_window_of_positions_is_a_ring(tmp_path: Path, window: int):
    """Each position attends to itself and to those before it, `window` in all."""
    check(tmp_path / "m.gguf", replace(LLAMA, window=window, layers=2), plain_angles(LLAMA))
    found = read_decoder(tmp_path / "m.gguf").config
    assert (found.length, found.positions) == (min(window, 8), 8)


GEMMA3 = Model("gemma3", head=24, layers=2, window=3, metadata={"attention.sliding_window_pattern": 2})


GEMMAS = {
    "gemma": Model("gemma"),
    "gemma2": Model("gemma2", layers=2, window=3),
    "gemma3": GEMMA3,
    "without windows": replace(GEMMA3, window=None),
    "a window larger than the cache": replace(GEMMA3, window=9),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", GEMMAS)
def test_gemma_attends_to_windows_in_some_layers(tmp_path: Path, name: str):
    """Layers with a window turn by angles of their own in `gemma3`, which the last layer of each period does not."""
    check(tmp_path / "m.gguf", GEMMAS[name], plain_angles(GEMMAS[name]))


def test_some_tokens_of_a_run_attend_to_windows(tmp_path: Path):
    weights = write(tmp_path / "m.gguf", GEMMA3)
    tokens = np.random.default_rng(2).integers(0, GEMMA3.vocabulary, 8)
    expected = logits(GEMMA3, weights, tokens.tolist(), plain_angles(GEMMA3))
    options = CompileOptions(target="c", dims={"tokens": 4})
    with compile_artifact(str(tmp_path / "m.gguf"), options) as artifact:
        for first in (0, 4):
            given = {"token": tokens[first : first + 4], "position": np.array([first]), "last": np.array([3])}
            found = quickly_loaded(artifact).run(given)["logits"]
            np.testing.assert_allclose(found[0], expected[first + 3], atol=BOUND * np.abs(expected).max())


def test_of_six_layers_of_gemma3_one_attends_to_all_positions(tmp_path: Path):
    write(tmp_path / "m.gguf", Model("gemma3", layers=7, window=3))
    config = read_decoder(tmp_path / "m.gguf").config
    assert [config.has_window(layer) for layer in range(7)] == [True] * 5 + [False, True]
    with pytest.raises(UnsupportedError, match="some layers attend to a window, and a cache of 4 for 8 positions is a"):
        read_decoder(tmp_path / "m.gguf", positions=4, cache="float32-ring")


def test_gemma_of_27_billion_weights_scales_scores_by_the_width(tmp_path: Path):
    """Which no metadata say."""
    write(tmp_path / "m.gguf", Model("gemma2", layers=46, head=8, hidden=8))
    assert read_decoder(tmp_path / "m.gguf").config.score_factor == (64 / 4) ** -0.5


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"rope.scaling.type": "ntk"}, "rotary positions are scaled by 'ntk'.*; known are linear, yarn and longrope"),
        ({"expert_count": 8.0}, "it is a mixture of experts"),
    ],
)
def test_what_is_not_computed_is_refused(tmp_path: Path, metadata: dict[str, float | str], message: str):
    write(tmp_path / "m.gguf", replace(LLAMA, metadata=metadata))
    with pytest.raises(UnsupportedError, match=message):
        read_decoder(tmp_path / "m.gguf")


def test_numbers_of_rotary_positions_are_checked(tmp_path: Path):
    write(tmp_path / "m.gguf", replace(LLAMA, metadata={"rope.scaling.type": "yarn", "rope.scaling.factor": -1.0}))
    with pytest.raises(InputError, match=r"llama.rope.scaling.factor is -1.0; convert the model again"):
        read_decoder(tmp_path / "m.gguf")


@pytest.mark.parametrize("architecture", ["mamba", "gemma3n", "phi3", "gpt2"])
def test_other_architectures_are_refused(tmp_path: Path, architecture: str):
    write(tmp_path / "m.gguf", Model(architecture))
    with pytest.raises(
        UnsupportedError, match=f"'{architecture}', which is not supported; take a model of one of llama, qwen2, qwen3"
    ):
        read_decoder(tmp_path / "m.gguf")
