"""A transformer's encoder of PyTorch in floats and in 8 bits: bytes of weights, noise, instructions on emulated boards.

    python -m benchmarks.quantised_encoder [--boards qemu:m3 qemu:m4] [--positions 64] [--seed 0]

Two layers of 64 channels with 4 heads, with made-up weights, are quantised by `s2s quantize` on 32 samples. Prints the
bytes of the weights, the signal to quantisation noise ratio of the output on 8 other samples, computed by the C on this
machine, and the instructions of a run of either network on each board. The exit code is 1 if the C of a network is
wrong on a board, or the ratio is below 25 dB.
"""

import argparse
import sys
from typing import Any

import numpy as np

from s2s import api
from s2s.boards import get_board
from s2s.types.dtypes import Array

CHANNELS, HEADS, INNER, LAYERS = 64, 4, 128, 2
SAMPLES, OTHERS = 32, 8
MIN_RATIO = 25.0
"""Decibels."""
MAX_DIFFERENCE = 0.2
"""The largest difference of an output on a board: a step that rounds to the other side moves the ones behind it."""


def main() -> int:
    """Quantise, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", nargs="*", default=["qemu:m3", "qemu:m4"])
    parser.add_argument("--positions", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    module, x = encoder(options.seed), inputs(options.positions, options.seed)
    quantised = api.quantize(module, {"src": x[:SAMPLES]})
    ratio = noise_ratio(module, quantised.model, x[SAMPLES:])
    print(f"weights {quantised.weights_before:,} -> {quantised.weights_after:,} bytes, output {ratio:.1f} dB")
    program = exported(module, x[:1])
    right = [show(board, program, quantised.model) for board in options.boards]
    return 0 if all(right) and ratio >= MIN_RATIO else 1


def encoder(seed: int) -> Any:
    """The module, with weights of this seed."""
    import torch

    torch.manual_seed(seed)  # pyright: ignore[reportUnknownMemberType]
    layer = torch.nn.TransformerEncoderLayer(CHANNELS, HEADS, INNER, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).eval()


def inputs(positions: int, seed: int) -> Array:
    """Samples for the calibration, and others behind them."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((SAMPLES + OTHERS, positions, CHANNELS)).astype(np.float32)


def exported(module: Any, x: Array) -> Any:
    """The program of the module in floats."""
    import torch

    return torch.export.export(module, (tensor_of(x),))


def tensor_of(x: Array) -> Any:
    """An array as a tensor of PyTorch."""
    import torch

    return torch.from_numpy(x)  # pyright: ignore[reportUnknownMemberType]


def noise_ratio(module: Any, quantised: Any, x: Array) -> float:
    """The power of the module's outputs over the power of their differences from the quantised C, in decibels."""
    import torch

    with torch.no_grad():
        expected = module(tensor_of(x)).numpy()
    with api.compile(quantised, target="c") as artifact:
        name = artifact.info.inputs[0].name
        found = np.concatenate([*(next(iter(artifact.run({name: each[None]}).values())) for each in x)])
    return float(10 * np.log10((expected**2).sum() / ((expected - found) ** 2).sum()))


def show(board: str, floats: Any, quantised: Any) -> bool:
    """Print the instructions of both networks on a board; return whether both are right there."""
    counts: list[int] = []
    for kind, model in (("floats", floats), ("8 bits", quantised)):
        found = api.compile(model, target=get_board(board).target).verify_on(
            board, against="interpreter", atol=MAX_DIFFERENCE
        )
        if not found.passed:
            print(f"{board:<10}the network in {kind} gives other numbers than the interpreter")
            return False
        counts.append(max(found.run.instructions))
    print(f"{board:<10}{counts[0]:>14,} instructions in floats{counts[1]:>14,} in 8 bits{counts[1] / counts[0]:7.2f}")
    return True


if __name__ == "__main__":
    sys.exit(main())
