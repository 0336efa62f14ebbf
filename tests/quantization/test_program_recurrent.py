# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""`s2s quantize` makes integers of GRU and LSTM in programs of PyTorch: little noise, the bits of torch, no floats."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

import torch
from torch import Tensor, nn

from s2s import api
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.frontends import torch as frontend
from s2s.frontends.formats import load_model
from s2s.options import CompileOptions
from s2s.quantization import Quantized, quantize

STEPS, BATCH, INPUTS, UNITS, SAMPLES = 10, 2, 16, 32, 6
MIN_RATIO = 25.0
"""Decibels of the output over the noise of 8 bits."""


class Cell(nn.Module):
    """A recurrent layer and a linear layer behind its last step; all results of both."""

    def __init__(self, kind: type[nn.GRU | nn.LSTM], **options: Any) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layer: Any = kind(INPUTS, UNITS, **options)
        self.last = nn.Linear(UNITS * (2 if options.get("bidirectional") else 1), 3)

    def forward(self, x: Tensor) -> Any:
        y, states = self.layer(x)
        ends = y[:, -1] if self.layer.batch_first else y[-1]
        return self.last(ends), y, states


class Held(nn.Module):
    """A convolution along the steps in front of a GRU, whose first state is an input."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.conv, self.layer = nn.Conv1d(INPUTS, INPUTS, 3, padding=1), nn.GRU(INPUTS, UNITS, batch_first=True)

    def forward(self, x: Tensor, h: Tensor) -> Any:
        return self.layer(torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2), h)


CASES: dict[str, tuple[nn.Module, list[list[int]]]] = {
    "gru, batch first": (Cell(nn.GRU, batch_first=True), [[BATCH, STEPS, INPUTS]]),
    "gru, two layers both ways": (Cell(nn.GRU, num_layers=2, bidirectional=True), [[STEPS, BATCH, INPUTS]]),
    "gru without a batch": (Cell(nn.GRU, bias=False), [[STEPS, INPUTS]]),
    "gru behind a convolution": (Held(), [[1, STEPS, INPUTS], [1, 1, UNITS]]),
    "lstm, two layers": (Cell(nn.LSTM, num_layers=2, dropout=0.5), [[STEPS, BATCH, INPUTS]]),
    "lstm both ways": (Cell(nn.LSTM, bidirectional=True, batch_first=True), [[BATCH, STEPS, INPUTS]]),
}


def quantised(module: nn.Module, shapes: list[list[int]]) -> Quantized:
    rng = np.random.default_rng(2)
    program = frontend.export(module.eval(), [torch.zeros(shape) for shape in shapes])
    names = ("x", "h")[: len(shapes)]
    samples = {
        name: rng.uniform(-1, 1, (SAMPLES, *shape)).astype(np.float32)
        for name, shape in zip(names, shapes, strict=True)
    }
    return quantize(program, samples)


@pytest.mark.parametrize("case", CASES)
def test_layers_become_integers_with_the_bits_of_torch(case: str, tmp_path: Path):
    found = quantised(*CASES[case])
    assert not found.floats
    assert all(layer.sqnr > MIN_RATIO for layer in found.layers)
    assert {layer.operator for layer in found.layers} & {"gru", "lstm"}
    assert found.weights_after < 0.5 * found.weights_before
    with api.compile(found.save(tmp_path / "cell.pt2"), target="cortex-m4") as artifact:
        assert artifact.verify().bit_exact


def test_a_step_computes_in_integers():
    found = quantised(*CASES["gru, batch first"])
    compilation = Compilation(load_model(found.model), CompileOptions(target="cortex-m4", name="cell"))
    ops = list(compilation.at("settle").module.walk())
    products = [op for op in ops if isinstance(op, graph.MatmulOp)]
    assert {str(type_of(op.a).element_type) for op in products} == {"i8"}
    assert sum(isinstance(op, graph.TableOp) for op in ops) == 3
    assert not any(isinstance(op, graph.SigmoidOp | graph.TanhOp) for op in ops)


def test_a_layer_that_projects_its_state_stays_in_floats():
    found = quantised(Projected(), [[STEPS, BATCH, INPUTS]])
    assert [each.operator for each in found.floats if each.weight_bytes] == ["lstm"]


class Projected(nn.Module):
    """An LSTM whose state is projected."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.LSTM(INPUTS, UNITS, proj_size=8)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)[0]
