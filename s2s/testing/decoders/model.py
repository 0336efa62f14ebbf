"""Decoders with made-up weights."""

from collections.abc import Mapping

import onnx

from s2s.frontends.decoder import Blocks, Config, write_model
from s2s.testing.decoders.weights import linear_layers, make_weights, quantize
from s2s.types.dtypes import Array


def make_model(config: Config, seed: int = 0, tokens: int = 1) -> onnx.ModelProto:
    """The decoder of `config`: `token`, `position` and `past_*` to `logits` and `present_*`; with several `tokens` a
    run `last` too, the number of the one that logits are wanted of."""
    return write_model(config, _stored(config, make_weights(config, seed)), tokens)


def _stored(config: Config, weights: Mapping[str, Array]) -> dict[str, Array | Blocks]:
    """The weights as the model has them, in linear layers quantised if `config` says so."""
    stored: dict[str, Array | Blocks] = dict(weights)
    for name, inputs, _ in linear_layers(config):
        if config.bits is not None:
            stored[name] = Blocks(*quantize(config, weights[name]), config.bits, inputs)
    return stored
