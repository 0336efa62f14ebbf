"""Decoders of language on microcontrollers: instructions for a token, RAM and flash under QEMU.

    python -m benchmarks.decode_mcu [1M] [--bits 4] [--boards m4 m55] [--tokens 4] [--layers]

The networks of `s2s.testing.decoders` with a cache as state and activations of 8 bits take tokens at positions from
the first to the last, each from an empty cache. The instructions are those of the most expensive one. Logits are
compared bit for bit with those of the same tree that the host's compiler builds, where all intrinsics are plain C, both
without fused multiply-adds; exits with 1 if one differs.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.decode import size_name
from s2s.artifact import Artifact, compile_artifact
from s2s.options import CompileOptions
from s2s.targets import Target, get_target
from s2s.testing.decoders import SIZES, Config, make_model, states
from s2s.types.dtypes import Array
from s2s.verify.board_check import BoardVerification

TARGETS = {"m4": "cortex-m4", "m55": "cortex-m55"}


def measure(config: Config, board: str, tokens: int) -> BoardVerification:
    """Run some tokens on the host and on a board."""
    options = CompileOptions(target=_target(board), states=states(config), name="decoder")
    with compile_artifact(make_model(config), options) as artifact, tempfile.TemporaryDirectory() as folder:
        golden = Path(folder) / "golden.npz"
        np.savez(golden, **vectors(artifact, config, tokens))
        return artifact.verify_on(f"qemu:{board}", golden=golden)


def _target(board: str) -> Target:
    """The target of a board, without fused multiply-adds: the host's plain C has none."""
    target = get_target(TARGETS[board])
    flags = [flag for flag in target.cflags if not flag.startswith("-ffp-contract")]
    return replace(target, cflags=(*flags, "-ffp-contract=off"))


def vectors(artifact: Artifact, config: Config, tokens: int) -> dict[str, Any]:
    """Tokens, positions from the first to the last of the cache, and the logits behind each of them on the host."""
    given = np.random.default_rng(0).integers(0, config.vocabulary, tokens)
    positions = np.linspace(0, config.length - 1, tokens).astype(np.int64)
    logits: list[Array] = []
    for token, position in zip(given, positions, strict=True):
        artifact.reset()
        logits.append(artifact.run({"token": token.reshape(1), "position": position.reshape(1)})["logits"])
    return {"token": given.reshape(-1, 1), "position": positions.reshape(-1, 1), "logits": np.stack(logits)}


def costly(found: BoardVerification) -> Iterator[str]:
    """A line for each kind of kernel, by its instructions in all tokens."""
    totals: dict[str, int] = {}
    for layer in found.summed_layers():
        totals[layer.kernel] = totals.get(layer.kernel, 0) + layer.instructions
    for kernel, count in sorted(totals.items(), key=lambda each: -each[1])[:8]:
        yield f"    {kernel:<50} {count:>13,}"


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=size_name, default=["1M"], metavar="SIZE")
    parser.add_argument("--bits", type=int, nargs="+", default=[4], choices=(4, 8))
    parser.add_argument("--boards", nargs="+", default=list(TARGETS), choices=list(TARGETS))
    parser.add_argument("--tokens", type=int, default=4)
    parser.add_argument("--layers", action="store_true", help="the kernels that take most")
    given = parser.parse_args()
    print("size bits board   instructions         RAM       flash  bit-exact")
    exact = True
    for name, bits, board in product(given.sizes, given.bits, given.boards):
        config: Any = replace(SIZES[name], bits=bits, int8_activations=True)
        found = measure(config, board, given.tokens)
        figures, exact = found.figures(), exact and found.bit_exact
        print(
            f"{name:>4} {bits:>4} {board:<5} {figures['instructions']:>14,} {figures['ram_bytes']:>11,} "
            f"{figures['flash_bytes']:>11,}  {'yes' if found.bit_exact else 'no'}",
            flush=True,
        )
        for line in costly(found) if given.layers else ():
            print(line)
    return int(not exact)


if __name__ == "__main__":
    sys.exit(main())
