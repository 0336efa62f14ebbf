# pyright: reportUnknownMemberType=false
"""Single operators of ATen against torch, by the graph interpreter."""

import pytest
import torch

from s2s.frontends.torch.core import core_overloads
from s2s.frontends.torch.table import importer_of, is_refused
from support.torch_operators import CASES, ELSEWHERE, Operators, differences

BATCH = 24


def test_every_core_overload_is_imported_and_tested_or_refused_with_a_reason():
    core = core_overloads()
    imported = [name for name in core if importer_of(f"aten.{name}") is not None]
    refused = [name for name in core if is_refused(f"aten.{name}")]
    assert sorted([*imported, *refused]) == core
    assert [name for name in imported if name not in (*CASES, *ELSEWHERE)] == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("first", range(0, len(CASES), BATCH))
def test_operators_give_what_torch_gives(first: int):
    """A batch at a time: an export takes long, and hardly longer with more operators."""
    torch.manual_seed(first)
    calls = [(name, arguments) for name in list(CASES)[first : first + BATCH] for arguments in CASES[name]()]
    module = Operators(calls)
    assert differences(module) == []


def test_norms_of_16_bits_neither_overflow_nor_vanish():
    large, tiny = torch.tensor([300.0, -400.0]), torch.tensor([1.5e-4, 2e-4])
    calls = [
        ("linalg_vector_norm.default", (large.half(),)),
        ("linalg_vector_norm.default", (tiny.half(),)),
        ("linalg_vector_norm.default", (large.half(), 3.0)),
        ("var.correction", (torch.tensor([100.0, 100.0, 450.0]).half(), [0])),
    ]
    assert differences(Operators(calls)) == []
