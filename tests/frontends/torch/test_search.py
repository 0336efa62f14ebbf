"""Medians, running extremes, searches in sorted sequences, counts by bins and products of bytes against torch."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.torch import export, import_model, load_model
from s2s.options import CompileOptions
from s2s.verify.compare import compare
from support.torch_operators import Arguments, Operators, expected_of

NAN, INFINITY = float("nan"), float("inf")


def random(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def integers(*values: Any) -> Tensor:
    return torch.tensor(values)


WITH_NAN = torch.tensor([[1.0, NAN, 3.0, 2.0], [4.0, 2.0, 1.0, 9.0], [NAN, NAN, 0.0, 1.0]])
BYTES = torch.arange(-128, 128, dtype=torch.int8)

CALLS: list[tuple[str, Arguments]] = [
    ("median.default", (random(7),)),
    ("median.default", (integers(5, 1, 4, 2),)),
    ("median.dim", (random(3, 6), 1)),
    ("median.dim", (random(3, 5, 2), 0, True)),
    ("median.dim", (WITH_NAN, 1)),
    ("cummax.default", (random(3, 6), 1)),
    ("cummax.default", (WITH_NAN, 1)),
    ("cummax.default", (integers([1, 3, 3, 2], [2, 2, 5, 1]), 1)),
    ("cummin.default", (random(4, 3, 2), 0)),
    ("cummin.default", (WITH_NAN, 0)),
    ("logcumsumexp.default", (random(3, 6), 1)),
    ("logcumsumexp.default", (torch.tensor([-INFINITY, 1.0, 300.0, 2.0]), 0)),
    ("searchsorted.Tensor", (torch.tensor([1.0, 2.0, 2.0, 5.0]), torch.tensor([[0.0, 2.0], [NAN, 7.0]]))),
    ("searchsorted.Tensor", (random(2, 5).sort().values, random(2, 3), {"right": True})),
    ("searchsorted.Tensor", (integers(1, 4, 9), integers(4, 5), {"side": "right", "out_int32": True})),
    ("searchsorted.Scalar", (torch.tensor([1.0, 2.0, 2.0, 5.0]), 2.0)),
    ("searchsorted.Tensor", (torch.tensor([1.0, 2.0, 2.0, 5.0]), torch.tensor(2.0), {"right": True})),
    ("bucketize.Tensor", (torch.tensor(NAN), torch.tensor([-1.0, 0.0, 1.0]))),
    ("bucketize.Tensor", (random(2, 3), torch.tensor([-1.0, 0.0, 1.0]))),
    ("bucketize.Tensor", (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0]), {"right": True})),
    ("histc.default", (random(50), 8, -2, 2)),
    ("histc.default", (random(4, 5), 5)),
    ("histc.default", (torch.ones(4), 3)),
    ("repeat_interleave.Tensor", (integers(2, 0, 3), {"output_size": 5})),
    ("_int_mm.default", (BYTES.reshape(32, 8), BYTES[:64].reshape(8, 8))),
]


def test_the_c_gives_what_torch_gives():
    module = Operators(CALLS)
    artifact = compile_artifact(export(module, module.inputs), CompileOptions(target="c", name="net"))
    names = [port.name for port in artifact.info.inputs]
    given = {name: each.numpy() for name, each in zip(names, module.inputs, strict=True)}
    found, expected = artifact.run(given).values(), expected_of(module)
    results = [(label, compare(value, ours)) for (label, value), ours in zip(expected, found, strict=True)]
    assert [f"{label}: {result.describe()}" for label, result in results if not result.passed] == []


class Repeating(nn.Module):
    """Repeats rows as often as its input says."""

    def forward(self, repeats: Tensor) -> Tensor:
        return torch.repeat_interleave(torch.ones(3), repeats)


@pytest.mark.parametrize(
    ("module", "given", "message"),
    [
        (Repeating(), integers(2, 0, 3), "size of its result depends on the data"),
        (nn.Dropout().train(), torch.ones(3), "drops elements at random; call eval"),
    ],
)
def test_what_depends_on_data_or_chance_is_refused(module: nn.Module, given: Tensor, message: str):
    with pytest.raises(UnsupportedError, match=message):
        import_model(load_model(export(module, [given])))
