"""Logits of decoders beside a reference in doubles.

    python -m benchmarks.decode_reference [1M 110M ...] [--bits 4 8] [--tokens 4] [--cache int8]

The reference (`s2s.testing.decoders.reference`) is computed twice: with activations quantised by blocks to 8 bits, as
the model asks for, and with exact ones. All figures are parts of the largest logit: `quantised` is the largest
difference of both references, what quantising activations does; `exact` that of the emitted C and the exact reference;
`same` that of the emitted C and the quantised one, which differ where a sum of floats turns the rounding of an
activation. Exits with 1 if `exact` is above twice `quantised`, or a most likely token above the error of all logits is
another one. With 110M it takes 3 GB, with 1B 16 GB.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.decode import size_name
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from s2s.testing.decoders import SIZES, Config, make_model, states
from s2s.testing.decoders.reference import Reals, logits

ROUNDING = 1e-4
"""The part of the largest logit by which sums of floats may differ beside what quantisation does."""


class Differences(NamedTuple):
    """The largest differences of logits, as parts of the largest one, and how many most likely tokens differ that the
    differences do not explain."""

    quantised: float
    exact: float
    same: float
    other_tokens: int

    @property
    def passed(self) -> bool:
        """Whether the logits are within what quantised activations explain."""
        return self.exact <= 2 * self.quantised + ROUNDING and not self.other_tokens


def compare(config: Config, tokens: Sequence[int], target: str = "host") -> Differences:
    """Run `tokens` one by one, and compare with both references."""
    found = _run(config, tokens, target)
    exact = logits(replace(config, int8_activations=False), tokens)
    quantised = logits(config, tokens) if config.int8_activations else exact
    largest = float(np.abs(exact).max())

    def apart(a: Reals, b: Reals) -> float:
        return float(np.abs(a - b).max()) / largest

    error = np.abs(found - exact).max()
    rows = np.arange(len(found))
    behind = exact.max(-1) - exact[rows, found.argmax(-1)]
    other = int((behind > 2 * error).sum())
    return Differences(apart(quantised, exact), apart(found, exact), apart(found, quantised), other)


def _run(config: Config, tokens: Sequence[int], target: str) -> Reals:
    """The logits that the emitted C gives behind each of `tokens`."""
    options = CompileOptions(target=target, states=states(config), name="decoder")
    with compile_artifact(make_model(config), options) as artifact:
        given = [{"token": np.array([token]), "position": np.array([place])} for place, token in enumerate(tokens)]
        return np.concatenate([artifact.run(each)["logits"].astype(np.float64) for each in given])


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=size_name, default=["1M"], metavar="SIZE")
    parser.add_argument("--bits", type=int, nargs="+", default=[8, 4], choices=(4, 8))
    parser.add_argument("--tokens", type=int, default=4)
    parser.add_argument("--cache", choices=("float32", "float16", "int8"), default="float32")
    given = parser.parse_args()
    print("size bits   quantised       exact        same  other tokens", flush=True)
    passed = True
    for name, bits in product(given.sizes, given.bits):
        config: Any = replace(SIZES[name], bits=bits, int8_activations=True, cache=given.cache)
        tokens = range(1, 1 + given.tokens)
        found = compare(config, [token * 7919 % config.vocabulary for token in tokens])
        figures = f"{found.quantised:>12.2e}{found.exact:>12.2e}{found.same:>12.2e}{found.other_tokens:>14}"
        print(f"{name:>4} {bits:>4}{figures}", flush=True)
        passed = passed and found.passed
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
