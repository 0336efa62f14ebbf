"""Decoders with a cache of keys and values as state: the emitted C against doubles in numpy."""

from collections.abc import Iterator

import numpy as np
import pytest

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.testing.decoders import SIZES, Config, make_model, make_weights, states
from s2s.testing.decoders.reference import Reals, greedy, logits
from s2s.verify.build import LoadedNetwork
from support.compiled import quickly_loaded

CONFIGS = {
    "llama": Config(),
    "gpt": Config(kind="gpt", kv_heads=4),
    "llama in 4 bits": Config(bits=4),
    "llama in 8 bits": Config(bits=8, layers=1),
    "llama, cache of float16": Config(cache="float16", length=48),
    "llama, cache of int8": Config(cache="int8", length=64),
    "llama in 4 bits, activations of 8": Config(bits=4, int8_activations=True),
    "llama in 8 bits, activations of 8": Config(bits=8, int8_activations=True, cache="int8", length=64),
    "llama, ring": Config(length=8, context=24),
    "llama in 4 bits, ring of int8": Config(bits=4, length=64, context=80, cache="int8"),
    "gpt, ring of float16": Config(kind="gpt", kv_heads=4, length=8, context=20, cache="float16"),
    "gpt, cache of int8": Config(kind="gpt", kv_heads=4, cache="int8"),
}
Decoder = tuple[Config, Artifact, LoadedNetwork]


@pytest.fixture(scope="module", params=list(CONFIGS))
def decoder(request: pytest.FixtureRequest) -> Iterator[Decoder]:
    config = CONFIGS[request.param]
    options = CompileOptions(target="c", states=states(config), name="decoder")
    with compile_artifact(make_model(config), options) as artifact:
        yield config, artifact, quickly_loaded(artifact)


def step(network: LoadedNetwork, token: int, position: int) -> Reals:
    found = network.run({"token": np.array([token]), "position": np.array([position])})
    return found["logits"][0].astype(np.float64)


def prompt(config: Config, seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(0, config.vocabulary, 3).tolist()


def test_each_step_gives_the_logits_of_the_whole_sequence(decoder: Decoder):
    config, _, network = decoder
    network.reset()
    tokens = np.random.default_rng(9).integers(0, config.vocabulary, config.positions).tolist()
    found = np.stack([step(network, token, position) for position, token in enumerate(tokens)])
    expected = logits(config, tokens)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["llama", "llama, cache of int8", "llama in 4 bits, ring of int8"])
def test_tables_give_the_bits_of_the_run_function(kind: str):
    config = CONFIGS[kind]
    function, tables = (
        compile_artifact(make_model(config), CompileOptions(target="c", states=states(config), executor=executor))
        for executor in ("aot", "graph")
    )
    with function, tables:
        for position, token in enumerate(prompt(config, 4)):
            given = {"token": np.array([token]), "position": np.array([position])}
            np.testing.assert_array_equal(tables.run(given)["logits"], function.run(given)["logits"])
        kept = tables.stream().snapshot()
        with pytest.raises(InputError, match="such as a position in a cache, is out of range"):
            tables.run({"token": np.array([1]), "position": np.array([config.positions])})
        assert len(kept) == tables.info.state_size


@pytest.mark.parametrize("beyond", [0, 1 << 40])
def test_a_position_beyond_the_cache_is_refused_and_changes_nothing(decoder: Decoder, beyond: int):
    config, _, network = decoder
    network.reset()
    first = step(network, 1, 0)
    with pytest.raises(InputError, match="such as a position in a cache, is out of range"):
        step(network, 2, config.positions + beyond)
    again = step(network, 2, 1)
    network.reset()
    np.testing.assert_array_equal(step(network, 1, 0), first)
    np.testing.assert_array_equal(step(network, 2, 1), again)


def test_the_header_states_which_positions_are_inside(decoder: Decoder):
    config, artifact, _ = decoder
    header, most = artifact.tree().text("include/decoder.h"), config.positions - 1
    assert f"Returns S2S_ERR_RANGE, and writes nothing, if position is not within {-1 - most} ... {most}." in header


@pytest.mark.parametrize("seed", range(5))
def test_the_likeliest_tokens_are_those_of_the_reference(decoder: Decoder, seed: int):
    config, _, network = decoder
    network.reset()
    said: list[int] = []

    def reference(token: int, position: int) -> Reals:
        said[position:] = [token]
        return logits(config, said)[-1]

    count = config.length - 3
    expected = greedy(reference, prompt(config, seed), count)
    assert greedy(lambda token, position: step(network, token, position), prompt(config, seed), count) == expected


def test_the_cache_lies_in_place_and_the_caller_does_not_see_it(decoder: Decoder):
    config, artifact, network = decoder
    row = {"float32": 4 * config.head, "float16": 2 * config.head, "int8": config.head + 4}[config.cache]
    cache = 2 * config.layers * config.kv_heads * config.length * row
    assert artifact.info.state_size == cache
    assert [port.name for port in network.inputs] == ["token", "position"]
    layer = cache // config.layers
    scores = 4 * config.heads * config.length if config.cache != "float32" else 0
    assert artifact.info.arena_size < cache + layer + 2 * scores, "a copy of the caches of a layer is in the arena"


def test_no_position_behind_the_last_one_is_read(decoder: Decoder):
    """What the cache holds behind the tokens so far may be anything, here NaN."""
    config, _, network = decoder
    stream = network.stream()
    nan = np.full(len(stream.snapshot()) // 2, np.nan, np.float16 if config.cache == "float16" else np.float32)
    stream.restore(nan.tobytes()[: len(stream.snapshot())])
    tokens = prompt(config, 7)
    steps = ({"token": np.array([token]), "position": np.array([at])} for at, token in enumerate(tokens))
    found = [stream.run(step)["logits"][0] for step in steps]
    expected = logits(config, tokens)
    np.testing.assert_allclose(np.stack(found), expected, rtol=0, atol=2e-5 * np.abs(expected).max())


def test_sizes_have_the_parameters_of_their_names():
    for name, config in SIZES.items():
        wanted = float(name[:-1]) * {"M": 1e6, "B": 1e9}[name[-1]]
        assert 0.8 * wanted < config.parameters < 1.25 * wanted
    small = Config()
    kept = [each.size for name, each in make_weights(small).items() if "norm" not in name]
    assert sum(kept) == small.parameters


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(InputError, match="do not divide width 30"):
        Config(width=30)
