"""Decoders beside llama.cpp on the same GGUF file, in turn: tokens per second of decode and of prefill.

    npm pack @node-llama-cpp/linux-x64 && tar xzf node-llama-cpp-linux-x64-*.tgz
    python -m benchmarks.decode_beside package/bins/linux-x64 [110M ...] [--kinds Q8_0 Q4_0] [--prefill 128]
                                                                       [--threads 1]

One thread on one core by CPU time, or several by the clock, which wants as many idle cores; made-up weights, a cache of
512 positions on both sides (float32 here, float16 there). The fastest of `--tokens` steps and of `--runs` prefills
count. `read` is the limit of one core: steps per second if a step only read the bytes of the file, whose embedding is
the last layer too. `differ` is the largest difference of logits over the largest logit: both quantise activations, each
by its own rule.
"""

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.blockwise import read_seconds
from benchmarks.decode import size_name
from benchmarks.llama_cpp import LlamaCpp
from benchmarks.timing import pin
from s2s.artifact import Artifact, compile_artifact
from s2s.options import CompileOptions
from s2s.testing.decoders import SIZES, Config, write_gguf
from s2s.types.dtypes import Array

POSITIONS = 512
KINDS = ("F16", "Q8_0", "Q4_0", "Q4_K")


class Steps:
    """The network of a GGUF file that takes some tokens a run."""

    def __init__(self, path: Path, tokens: int, vocabulary: int, threads: int) -> None:
        dims: Any = {"positions": POSITIONS, "tokens": tokens}
        options = CompileOptions(target="host", dims=dims, threads=threads)
        self.artifact: Artifact = compile_artifact(str(path), options)
        self.token, self.position = np.zeros(tokens, np.int64), np.zeros(1, np.int64)
        self.output = np.empty((1, vocabulary), np.float32)
        last = [np.array([tokens - 1])] if tokens > 1 else []
        self.call = self.artifact.loaded().call_on([self.token, self.position, *last], [self.output])

    def run(self, tokens: list[int], position: int) -> Array:
        """The logits behind the last one of as many tokens as the network takes."""
        self.token[:], self.position[0] = tokens, position
        self.call()
        return self.output[0]


def compare(
    path: Path, config: Config, folder: Path, tokens: int, prefill: int, runs: int, threads: int
) -> tuple[float, ...]:
    """The fastest steps and prefills of both, the time of reading, and the largest difference of logits."""
    clock = time.process_time if threads == 1 else time.perf_counter

    def seconds(call: Callable[[], object]) -> float:
        start = clock()
        call()
        return clock() - start

    other = LlamaCpp(folder, path, config.vocabulary, threads)
    steps, many = (Steps(path, count, config.vocabulary, threads) for count in (1, prefill))
    ours, theirs, differ, next_token = math.inf, math.inf, 0.0, 1
    for position in range(tokens):
        given = next_token
        ours = min(ours, seconds(lambda given=given, at=position: steps.run([given], at)))
        theirs = min(theirs, seconds(lambda given=given: other.decode([given])))
        logits = other.logits()
        differ = max(differ, float(np.abs(logits - steps.output[0]).max() / np.abs(logits).max()))
        next_token = int(np.random.default_rng(position).integers(config.vocabulary))
    prompt = np.random.default_rng(0).integers(0, config.vocabulary, prefill).tolist()
    our_prefill, their_prefill = math.inf, math.inf
    for _ in range(runs):
        other.reset()
        our_prefill = min(our_prefill, seconds(lambda: many.run(prompt, 0)))
        their_prefill = min(their_prefill, seconds(lambda: other.decode(prompt)))
    (read,) = read_seconds([path.stat().st_size], 3, 0.1)
    steps.artifact.close()
    many.artifact.close()
    return ours, theirs, our_prefill, their_prefill, read, differ


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the shared libraries of llama.cpp")
    parser.add_argument("sizes", nargs="*", type=size_name, default=["110M"], metavar="SIZE")
    parser.add_argument("--kinds", nargs="+", default=["Q8_0", "Q4_0"], choices=KINDS)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--prefill", type=int, default=128)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cpu", type=int)
    given = parser.parse_args()
    if given.threads == 1:
        pin(given.cpu)
    print("size kind     MB   decode/s  llama.cpp  ratio   read/s   prefill/s  llama.cpp  ratio  differ")
    for name in given.sizes:
        config = replace(SIZES[name], length=max(POSITIONS, SIZES[name].length))
        for kind in given.kinds:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "decoder.gguf"
                write_gguf(path, config, kind)
                found = compare(path, config, given.folder, given.tokens, given.prefill, given.runs, given.threads)
                size = path.stat().st_size
            ours, theirs, many, their_many, read, differ = found
            print(
                f"{name:>4} {kind:<4} {size / 1e6:>6.1f} {1 / ours:>10.1f} {1 / theirs:>10.1f} {theirs / ours:>6.2f} "
                f"{1 / read:>8.1f} {given.prefill / many:>11.1f} {given.prefill / their_many:>10.1f} "
                f"{their_many / many:>6.2f} {differ:>7.4f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
