"""Decoders with a cache of keys and values: tokens per second beside reading their weights.

    python -m benchmarks.decode [1M 15M ...] [--bits 4 8] [--activations float int8] [--tokens 32] [--cpu N]

The networks of `s2s.testing.decoders` on one core, from an empty cache; 0 bits are floats, and with `int8` products
with weights of 4 and 8 bits take activations of 8 bits. A step reads every constant but the embeddings of other tokens,
so reading is the limit; `share` is the time of reading over that of a step.
"""

import argparse
import sys
import time
from dataclasses import replace

import numpy as np

from benchmarks.blockwise import read_seconds
from benchmarks.timing import pin
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from s2s.testing.decoders import SIZES, Config, make_model, states

BITS = (4, 8)


def size_name(text: str) -> str:
    """A name of `SIZES`, as an argument of a program."""
    if text not in SIZES:
        raise argparse.ArgumentTypeError(f"no decoder is called {text}; known are {', '.join(SIZES)}")
    return text


def step_seconds(config: Config, tokens: int) -> tuple[float, int]:
    """Seconds of CPU time of the fastest step, and the bytes of the constants."""
    options = CompileOptions(target="host", states=states(config), name="decoder")
    with compile_artifact(make_model(config), options) as artifact:
        network = artifact.loaded()
        token, position = np.array([1]), np.array([0])
        output = np.empty((1, config.vocabulary), np.float32)
        call = network.call_on([token, position], [output])
        seconds: list[float] = []
        for place in range(min(tokens, config.length)):
            position[0] = place
            start = time.process_time()
            call()
            seconds.append(time.process_time() - start)
            token[0] = output.argmax()
        return min(seconds), artifact.report().weights


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=size_name, default=["1M", "15M"], metavar="SIZE")
    parser.add_argument("--bits", type=int, nargs="+", default=[4, 8, 0], choices=(0, *BITS))
    parser.add_argument("--activations", nargs="+", default=["float", "int8"], choices=("float", "int8"))
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--cpu", type=int)
    given = parser.parse_args()
    pin(given.cpu)
    print("size bits   acts     MB  us/token  tokens/s   GB/s   read  share")
    for name in given.sizes:
        cases = [(bits, acts) for bits in given.bits for acts in given.activations if bits or acts == "float"]
        for bits, activations in cases:
            config = replace(SIZES[name], bits=bits or None, int8_activations=activations == "int8")
            step, size = step_seconds(config, given.tokens)
            (read,) = read_seconds([size], 3, 0.1)
            print(
                f"{name:>4} {bits:>4} {activations:>6} {size / 1e6:>6.1f} {step * 1e6:>9.0f} {1 / step:>9.0f} "
                f"{size / step / 1e9:>6.1f} {size / read / 1e9:>6.1f} {read / step:>6.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
