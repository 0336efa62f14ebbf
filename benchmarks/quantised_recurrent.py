"""GRU and LSTM of ONNX and PyTorch in floats and in 8 bits: noise, instructions for each multiply-add, RAM and flash.

    python -m benchmarks.quantised_recurrent [gru_kws lstm torch.GRU torch.LSTM] [--boards qemu:m4 qemu:m55] [--seed 0]

Each network is quantised by `s2s quantize` on samples; the signal to quantisation noise ratio is measured on others.
`--requantise fixed` scales sums in fixed point. The exit code is 1 if a network in 8 bits differs from onnxruntime in
one bit, or from torch, which sums in floats, by more than the steps that its roundings allow, or if its output is below
20 dB.
"""
# pyright: reportUnknownMemberType=false

import argparse
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.qdq import FLOATS
from s2s import api
from s2s.boards import get_board
from s2s.inspection import inspect_model
from s2s.options import Requantise
from s2s.types.dtypes import Array

NETWORKS = ("gru_kws", "lstm", "torch.GRU", "torch.LSTM")
STEPS, INPUTS, UNITS, CLASSES = 98, 40, 128, 12
"""Of the networks of PyTorch, which have the sizes of `gru_kws`."""
SAMPLES, OTHERS = 16, 4
KINDS: Mapping[str, Requantise] = {"floats": "float", "8 bits": "float", "8 bits, fixed": "fixed"}
MIN_RATIO = 20.0
"""Decibels."""


def main() -> int:
    """Quantise, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--boards", nargs="*", default=["qemu:m4", "qemu:m55"])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    right = [show(name, options.boards, options.seed) for name in options.networks]
    return 0 if all(right) else 1


def show(name: str, boards: list[str], seed: int) -> bool:
    """Print what a network takes on each board; return whether all of it is right."""
    network = torch_network(name) if name.startswith("torch.") else (FLOATS / f"{name}.onnx").read_bytes()
    inspected = inspect_model(network)
    port = inspected.inputs[0]
    x = np.random.default_rng(seed).standard_normal((SAMPLES + OTHERS, *port.shape)).astype(np.float32)
    quantised = api.quantize(network, {port.name: x[:SAMPLES]})
    ratio = noise_ratio(network, quantised.model, port.name, x[SAMPLES:])
    work = inspected.multiply_adds or 0
    print(f"{name}: {work:,} multiply-adds, weights {quantised.weights_before:,} -> {quantised.weights_after:,} bytes, "
          f"output {ratio:.1f} dB")  # fmt: skip
    kinds = list(zip(KINDS.items(), (network, quantised.model, quantised.model), strict=True))
    exact = True
    for board in boards:
        for (kind, requantise), model in kinds:
            artifact = api.compile(
                model, name=name.lower().replace(".", "_"), target=get_board(board).target, requantise=requantise
            )
            measured = artifact.verify_on(board)
            exact &= measured.passed and (measured.bit_exact or kind != "8 bits" or name.startswith("torch."))
            figures = measured.as_dict()
            count = figures["instructions"]
            print(f"  {board:9} {kind:14} {count:12,} instructions  {count / work:5.2f} a multiply-add  "
                  f"{figures['ram_bytes']:8,} bytes of RAM  {figures['flash_bytes']:8,} of flash")  # fmt: skip
    return exact and ratio >= MIN_RATIO


def torch_network(name: str) -> Any:
    """A program of PyTorch: a recurrent layer, and a linear layer behind its last step."""
    import torch

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer: Any = getattr(torch.nn, name.removeprefix("torch."))(INPUTS, UNITS)
            self.last = torch.nn.Linear(UNITS, CLASSES)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.last(self.layer(x)[0][-1])

    torch.manual_seed(0)
    return torch.export.export(Network().eval(), (torch.zeros(STEPS, 1, INPUTS),))


def noise_ratio(floats: Any, quantised: Any, name: str, x: Array) -> float:
    """The power of the outputs in floats over the power of their differences from the quantised C, in decibels."""
    outputs: list[Array] = []
    for model in (floats, quantised):
        with api.compile(model, target="c") as artifact:
            outputs.append(np.concatenate([next(iter(artifact.run({name: sample}).values())) for sample in x]))
    expected, computed = outputs
    return float(10 * np.log10((expected**2).sum() / ((expected - computed) ** 2).sum()))


if __name__ == "__main__":
    sys.exit(main())
