# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""No importer of ATen overlooks an argument: what it does not name changes no number, and is listed here with why."""

import ast
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch

import s2s.frontends.torch as frontend

FOLDER = Path(frontend.__file__).parent
SHARED = ("node", "operands", "window")
"""Modules that read arguments for others."""
HARMLESS = {
    "of where and how tensors are held": (
        *("device", "layout", "pin_memory", "memory_format", "non_blocking", "stride", "physical_layout", "copy"),
        *("sparse", "sparse_grad", "implicit", "self", "tensors"),
    ),
    "of gradients": ("requires_grad", "scale_grad_by_freq"),
    "the type of the result, which is known": ("dtype", "out_dtype", "out_int32", "half_to_float"),
    "of how it is computed": (
        *(
            "cudnn_enabled",
            "cudnn_enable",
            "benchmark",
            "deterministic",
            "allow_tf32",
            "compute_mode",
            "unroll_dim",
            "generator",
        ),
    ),
    "sizes, which the operands have": ("N", "C", "HxW"),
    "ties have one order here": ("stable", "sorted"),
    "results that nobody uses are left out": ("return_inverse", "return_counts"),
    "of errors": ("assert_msg", "check_errors"),
}
ELSEWHERE = {
    "embedding": ("padding_idx",),
    "_trilinear": ("i1", "i2", "i3", "expand1", "expand2", "expand3"),
    "sym_constrain_range_for_size": ("min", "max"),
    "_assert_tensor_metadata": ("a",),
    "div": ("rounding_mode",),
    **dict.fromkeys(("max", "min"), ("other",)),
    **dict.fromkeys(("gru", "lstm", "rnn_relu", "rnn_tanh"), ("data", "batch_sizes")),
}
"""Arguments of one operator: of gradients, of overloads that are refused, read in order, or not of complex numbers."""


@cache
def literals(module: str) -> frozenset[str]:
    """The texts in the source of a module of the frontend."""
    nodes = ast.walk(ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")))
    return frozenset(each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str))


def imported() -> Iterator[tuple[str, str]]:
    """Each operator with the module of its importer."""
    for path in sorted(FOLDER.glob("*.py")):
        table: Any = getattr(importlib.import_module(f"{frontend.__name__}.{path.stem}"), "IMPORTERS", {})
        yield from ((operator, path.stem) for operator in table if isinstance(operator, str))


def overloads(operator: str) -> Iterator[tuple[str, list[str]]]:
    """The overloads of an operator that compute a tensor, with the names of their arguments."""
    packet = getattr(torch.ops.aten, operator, None)
    for overload in packet.overloads() if packet is not None else ():
        schema = getattr(packet, overload)._schema
        gives = any("Tensor" in str(each.type) for each in schema.returns)
        if gives and "Dimname" not in str(schema) and not any(each.is_out for each in schema.arguments):
            yield overload, [each.name for each in schema.arguments]


def test_every_argument_is_read_or_changes_no_number():
    harmless = {name for names in HARMLESS.values() for name in names}
    overlooked: list[str] = []
    for operator, module in imported():
        known = {*harmless, *ELSEWHERE.get(operator, ()), *literals(module), *(x for m in SHARED for x in literals(m))}
        for overload, names in overloads(operator):
            overlooked += [f"{operator}.{overload} ({module}): {name}" for name in names if name not in known]
    assert overlooked == []
