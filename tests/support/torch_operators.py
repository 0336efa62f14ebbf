# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Single operators of ATen: what each overload is called with in tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from s2s.verify.compare import compare

Arguments = tuple[Any, ...]


def overload(name: str) -> Any:
    """The overload of a name."""
    packet, _, which = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), which)


class Operators(nn.Module):
    """A module that calls overloads; tensors among their arguments are inputs, everything else is fixed."""

    def __init__(self, calls: Sequence[tuple[str, Arguments]]) -> None:
        super().__init__()
        self.inputs: list[Tensor] = []
        self.calls: list[tuple[str, list[Any], Mapping[str, Any]]] = []
        for name, arguments in calls:
            named: Mapping[str, Any] = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
            positional = arguments[:-1] if named else arguments
            self.calls.append((name, [self._slot(each) for each in positional], named))

    def _slot(self, argument: Any) -> Any:
        if isinstance(argument, list):
            return [self._slot(each) for each in argument]
        if isinstance(argument, Fixed):
            return argument.tensor
        if isinstance(argument, Tensor):
            self.inputs.append(argument)
            return _Slot(len(self.inputs) - 1)
        return argument

    def forward(self, *tensors: Tensor) -> dict[str, Any]:
        return {
            f"{name} {number}": _read(name, overload(name)(*_filled(template, tensors), **named))
            for number, (name, template, named) in enumerate(self.calls)
        }


class Fixed:
    """A tensor that is a constant of the module."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class _Slot:
    def __init__(self, number: int) -> None:
        self.number = number


def _read(name: str, result: Any) -> Any:
    """The result of an overload that inference reads."""
    return result[0] if name in FIRST_ONLY else result


def _filled(template: list[Any], tensors: tuple[Tensor, ...]) -> list[Any]:
    return [
        tensors[each.number] if isinstance(each, _Slot) else _filled(each, tensors) if isinstance(each, list) else each
        for each in template
    ]


def f(*shape: int) -> Tensor:
    return torch.randn(*shape)


def positive(*shape: int) -> Tensor:
    return torch.rand(*shape) + 0.5


def unit(*shape: int) -> Tensor:
    return torch.rand(*shape) * 1.8 - 0.9


def n(*shape: int, low: int = -5, high: int = 6) -> Tensor:
    return torch.randint(low, high, shape)


def index(*shape: int, size: int) -> Tensor:
    return torch.randint(0, size, shape)


def bits(*shape: int) -> Tensor:
    return torch.randint(0, 2, shape) == 1


def _unary(*names: str, draw: Callable[..., Tensor] = f) -> dict[str, Callable[[], list[Arguments]]]:
    def arguments() -> list[Arguments]:
        return [(draw(2, 3),)]

    return {f"{name}.default": arguments for name in names}


def _compare(*names: str) -> dict[str, Callable[[], list[Arguments]]]:
    found: dict[str, Callable[[], list[Arguments]]] = {}
    for name in names:
        found[f"{name}.Tensor"] = lambda: [(n(2, 3), n(3)), (f(2, 3), n(2, 3)), (n(2, 3), torch.tensor(1.5))]
        found[f"{name}.Scalar"] = lambda: [(n(2, 3), 1), (n(2, 3), 0.5), (f(3), 0)]
    return found


def _bitwise(*names: str) -> dict[str, Callable[[], list[Arguments]]]:
    found: dict[str, Callable[[], list[Arguments]]] = {}
    for name in names:
        found[f"{name}.Tensor"] = lambda: [(n(2, 3), n(3)), (bits(2, 3), bits(2, 3))]
        found[f"{name}.Scalar"] = lambda: [(n(2, 3), 3)]
    return found


FIRST_ONLY = (
    *("_embedding_bag.default", "_linalg_det.default", "_native_batch_norm_legit_no_training.default"),
    "native_dropout.default",
)
"""Overloads whose other results are for gradients."""
ELSEWHERE = (
    *("_fft_c2r.default", "_fft_r2c.default", "_native_batch_norm_legit.default", "nonzero.default"),
    *("rand.default", "randn.default", "randperm.default"),
)
"""Overloads on complex numbers, which `test_complex_numbers.py` runs; that change an operand, which `test_import.py`
runs; whose size depends on the data, which `test_computed_sizes.py` does; or at random, which `test_random.py` does."""
CASES: dict[str, Callable[[], list[Arguments]]] = {
    **_unary("abs", "asinh", "atan", "cos", "cosh", "erf", "exp", "expm1", "floor", "ceil", "relu", "sigmoid", "sign"),
    **_unary("sin", "sinh", "tan", "tanh", "trunc", "round", "neg", "isnan", "clone", "alias"),
    **_unary("acos", "asin", "atanh", "log1p", draw=unit),
    **_unary("log", "log2", "log10", "sqrt", "rsqrt", "reciprocal", draw=positive),
    **_unary("logical_not", "bitwise_not", draw=bits),
    **_compare("eq", "ne", "lt", "le", "gt", "ge"),
    **_bitwise("bitwise_and", "bitwise_or", "bitwise_xor"),
    "_adaptive_avg_pool2d.default": lambda: [(f(1, 2, 6, 6), [3, 2]), (f(1, 2, 7, 5), [3, 2]), (f(2, 4, 4), [1, 1])],
    "_adaptive_avg_pool3d.default": lambda: [(f(1, 2, 4, 6, 5), [2, 3, 2])],
    "_cdist_forward.default": lambda: [(f(3, 4), f(5, 4), 2.0, None), (f(3, 4), f(5, 4), 1.0, None)],
    "_embedding_bag.default": lambda: [
        (f(5, 3), index(6, size=5), Fixed(torch.tensor([0, 3]))),
        *(
            (
                f(5, 3),
                torch.tensor([2, 0, 2, 2, 4, 1]),
                Fixed(torch.tensor([0, 2, 4])),
                False,
                mode,
                False,
                None,
                False,
                2,
            )
            for mode in (0, 1)
        ),
    ],
    "_log_softmax.default": lambda: [(f(2, 5), 1, False), (f(2, 5), 0, False)],
    "_native_batch_norm_legit.no_stats": lambda: [(f(3, 2, 4), positive(2), f(2), True, 0.1, 1e-5)],
    "_native_batch_norm_legit_no_training.default": lambda: [
        (f(2, 3, 4), positive(3), f(3), f(3), positive(3), 0.1, 1e-5),
        (f(2, 3, 4, 2), None, None, f(3), positive(3), 0.1, 1e-5),
    ],
    "_pdist_forward.default": lambda: [(f(4, 3), 2.0)],
    "_softmax.default": lambda: [(f(2, 5), 1, False), (f(2, 3, 4), 1, False)],
    "view.dtype": lambda: [(f(2, 3), torch.int32), (n(2, 3).to(torch.uint8), torch.int8), (f(3), torch.float32)],
    "_to_copy.default": lambda: [(f(2, 3) * 4, {"dtype": torch.int32}), (n(3), {"dtype": torch.float32})],
    "acosh.default": lambda: [(positive(2, 3) + 1,)],
    "adaptive_avg_pool1d.default": lambda: [(f(1, 2, 6), [3]), (f(1, 2, 7), [3])],
    "add.Scalar": lambda: [(f(2, 3), 1.5), (n(2, 3), 2), (n(3), 1.5)],
    "add.Tensor": lambda: [(f(2, 3), f(3)), (f(2, 3), n(2, 1), {"alpha": 2}), (bits(3), bits(3))],
    "addmm.default": lambda: [(f(3), f(2, 4), f(4, 3)), (f(2, 3), f(2, 4), f(4, 3), {"beta": 0.5, "alpha": 2})],
    "amax.default": lambda: [(f(2, 3, 4), [1]), (f(2, 3), [], True), (n(2, 3), [-1], True)],
    "amin.default": lambda: [(f(2, 3, 4), [1]), (f(2, 3), [])],
    "any.default": lambda: [(bits(2, 3),), (f(2, 3),)],
    "any.dim": lambda: [(bits(2, 3), 1), (bits(2, 3), 0, True)],
    "any.dims": lambda: [(bits(2, 3, 2), [0, 2])],
    "arange.start_step": lambda: [(1, 9, 2), (0.0, 1.0, 0.25)],
    "argmax.default": lambda: [(f(2, 3), 1), (f(2, 3),), (f(2, 3), 0, True)],
    "argmin.default": lambda: [(f(2, 3), 1), (f(2, 3),)],
    "as_strided.default": lambda: [(f(4, 4), [2, 3], [4, 1], 1)],
    "atan2.default": lambda: [(f(3, 4), f(3, 4)), (torch.tensor([0.0, 1, -1, 0]), torch.tensor([0.0, 0, 0, -2]))],
    "atan2.out": list,
    "avg_pool1d.default": lambda: [(f(1, 2, 9), [3], [2], [1]), (f(1, 2, 8), [3], [2], [0], True)],
    "avg_pool2d.default": lambda: [
        (f(1, 2, 7, 6), [3, 2], [2, 2], [1, 1], True, False),
        (f(1, 2, 7, 6), [3, 3], [2, 2], [1, 1], True, True),
        (f(1, 2, 6, 6), [2, 2], [2, 2], [0, 0], False, True, 3),
    ],
    "avg_pool3d.default": lambda: [(f(1, 2, 4, 4, 4), [2, 2, 2])],
    "_linalg_det.default": lambda: [(f(3, 3),), (f(2, 6, 6),)],
    "bmm.default": lambda: [(f(2, 3, 4), f(2, 4, 5))],
    "cat.default": lambda: [([f(2, 3), f(2, 1)], 1), ([f(2, 3), f(2, 3)], -2)],
    "clamp.default": lambda: [(f(2, 3), -0.5, 0.5), (n(2, 3), None, 2), (n(4), 0.5, 2)],
    "clamp.Tensor": lambda: [(f(2, 3), f(3), f(3).abs() + 2), (f(3), None, f(3))],
    "col2im.default": lambda: [(f(1, 8, 9), [4, 4], [2, 2], [1, 1], [0, 0], [1, 1])],
    "constant_pad_nd.default": lambda: [(f(2, 3), [1, 2], 0.5), (f(2, 3), [-1, 1, 2, 0], 0), (n(2), [1, 1], 7)],
    "convolution.default": lambda: [
        (f(1, 2, 8), f(3, 2, 3), f(3), [2], [1], [1], False, [0], 1),
        (f(1, 4, 6, 6), f(4, 2, 3, 3), None, [1, 1], [1, 1], [2, 2], False, [0, 0], 2),
        (f(1, 2, 4, 4), f(2, 3, 3, 3), f(3), [2, 2], [1, 1], [1, 1], True, [1, 1], 1),
        (f(1, 2, 3, 4, 4), f(2, 2, 2, 2, 2), None, [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1),
    ],
    "copy.default": lambda: [(f(2, 3), n(3))],
    "cumsum.default": lambda: [(f(2, 5), 1), (n(2, 5), 0), (bits(4), 0)],
    "diagonal.default": lambda: [(f(3, 4),), (f(2, 3, 4), 1, 1, 2), (f(4, 3), -1)],
    "div.Scalar": lambda: [(f(2, 3), 3), (n(2, 3), 2)],
    "div.Scalar_mode": lambda: [(f(2, 3), 0.3, {"rounding_mode": "floor"}), (n(9), 2, {"rounding_mode": "trunc"})],
    "div.Tensor": lambda: [(f(2, 3), positive(3)), (n(2, 3), n(2, 3, low=1))],
    "div.Tensor_mode": lambda: [
        (n(9), torch.tensor([3]), {"rounding_mode": "floor"}),
        (f(9) * 5, positive(9), {"rounding_mode": "floor"}),
        (n(9), torch.tensor([-3]), {"rounding_mode": "trunc"}),
        (f(9), positive(9), {"rounding_mode": None}),
    ],
    "elu.default": lambda: [(f(2, 3),), (f(2, 3), 1.5, 1.2, 0.7)],
    "embedding.default": lambda: [(f(5, 3), index(2, 4, size=5)), (f(5, 3), index(4, size=5), 1)],
    "empty.memory_format": list,
    "empty_strided.default": list,
    "expand.default": lambda: [(f(2, 1), [3, 2, 4]), (f(2, 1), [-1, 3])],
    "fill.Scalar": lambda: [(f(2, 3), 1.5)],
    "flip.default": lambda: [(f(2, 3), [0]), (f(2, 3), [0, -1])],
    "fmod.Scalar": lambda: [(f(2, 3) * 5, 2), (n(2, 3), 3)],
    "fmod.Tensor": lambda: [(f(2, 3) * 5, positive(3))],
    "full.default": lambda: [([2, 3], 1.5), ([2], 3, {"dtype": torch.int32})],
    "full_like.default": lambda: [(f(2, 3), 2)],
    "gather.default": lambda: [(f(3, 4), 1, index(3, 2, size=4)), (f(3, 4), 0, index(2, 4, size=3))],
    "gelu.default": lambda: [(f(2, 3),), (f(2, 3), {"approximate": "tanh"})],
    "grid_sampler_2d.default": lambda: [
        (f(1, 2, 4, 5), unit(1, 3, 3, 2) * 1.3, mode, padding, corners)
        for mode, padding, corners in (
            (0, 0, False),
            (1, 1, True),
            (2, 2, False),
            (0, 2, True),
            (2, 0, True),
            (2, 1, True),
        )
    ],
    "hardtanh.default": lambda: [(f(2, 3),), (f(2, 3), 0, 6)],
    "index.Tensor": lambda: [
        (f(3, 4, 5), [index(2, size=3)]),
        (f(3, 4, 5), [None, index(2, 2, size=4)]),
        (f(3, 4, 5), [index(2, size=3), index(2, size=4)]),
        (f(3, 4, 5), [index(2, 1, size=3), None, index(3, size=5)]),
        (f(3, 4, 5), [None, index(2, 1, size=4), index(3, size=5)]),
    ],
    "index_put.default": lambda: [
        (f(3, 4), [torch.tensor([0, 2])], f(2, 4)),
        (f(3, 4), [torch.tensor([0, 0]), torch.tensor([1, 1])], f(2), True),
        (f(3, 4), [None, torch.tensor([3, 1])], f(3, 2)),
        (f(3, 4), [bits(3, 4)], torch.tensor(2.0)),
    ],
    "index_select.default": lambda: [(f(3, 4), 1, index(6, size=4))],
    "isinf.default": lambda: [(torch.tensor([1.0, float("inf"), -float("inf")]),)],
    "leaky_relu.default": lambda: [(f(2, 3),), (f(2, 3), 0.3)],
    "logical_and.default": lambda: [(bits(2, 3), bits(2, 3)), (f(3), n(3))],
    "logical_or.default": lambda: [(bits(2, 3), n(2, 3))],
    "logical_xor.default": lambda: [(bits(2, 3), n(2, 3))],
    "masked_scatter.default": lambda: [(f(3, 4), bits(3, 4), f(12))],
    "max.dim": lambda: [(f(2, 3), 1), (f(2, 3), 0, True)],
    "max_pool2d_with_indices.default": lambda: [
        (f(1, 2, 7, 6), [3, 3], [2, 2], [1, 1]),
        (f(2, 2, 6, 6), [2, 2], [2, 2], [0, 0], [2, 2], True),
        (f(2, 6, 6), [2, 2]),
    ],
    "max_pool3d_with_indices.default": lambda: [(f(1, 2, 4, 4, 4), [2, 2, 2])],
    "maximum.default": lambda: [(f(2, 3), f(3)), (n(3), f(3))],
    "mean.default": lambda: [(f(2, 3),)],
    "mean.dim": lambda: [(f(2, 3, 4), [0, 2]), (f(2, 3), [1], True), (f(2, 3), None)],
    "min.dim": lambda: [(f(2, 3), 1)],
    "minimum.default": lambda: [(f(2, 3), f(3))],
    "mm.default": lambda: [(f(2, 3), f(3, 4))],
    "mul.Scalar": lambda: [(f(2, 3), 2), (n(3), 1.5)],
    "mul.Tensor": lambda: [(f(2, 3), f(3)), (n(2, 3), f(3)), (bits(3), bits(3))],
    "native_dropout.default": lambda: [(f(2, 3), 0.5, False), (f(2, 3), 0.0, True)],
    "native_group_norm.default": lambda: [
        (f(2, 4, 3, 3), positive(4), f(4), 2, 4, 9, 2, 1e-5),
        (f(2, 4, 3), None, None, 2, 4, 3, 1, 1e-5),
    ],
    "native_layer_norm.default": lambda: [(f(2, 3, 4), [4], positive(4), f(4), 1e-5), (f(2, 6), [6], None, None, 1e-5)],
    "permute.default": lambda: [(f(2, 3, 4), [2, 0, 1]), (f(2, 3, 4), [0, -1, 1])],
    "pow.Scalar": lambda: [(2, f(3)), (2.0, n(3))],
    "pow.Tensor_Scalar": lambda: [(f(2, 3), 2), (positive(3), 0.5), (n(3), 3), (positive(3), -1)],
    "pow.Tensor_Tensor": lambda: [(positive(2, 3), f(3))],
    "prod.default": lambda: [(f(2, 3),)],
    "prod.dim_int": lambda: [(f(2, 3), 1), (n(2, 3), 0, True)],
    "reflection_pad1d.default": lambda: [(f(1, 2, 5), [1, 2])],
    "reflection_pad2d.default": lambda: [(f(1, 2, 5, 4), [1, 2, 3, 1])],
    "reflection_pad3d.default": lambda: [(f(1, 2, 4, 4, 4), [1, 1, 2, 1, 0, 1])],
    "remainder.Scalar": lambda: [(f(2, 3) * 5, -2), (n(2, 3), 3)],
    "remainder.Tensor": lambda: [(f(2, 3) * 5, positive(3)), (n(9), torch.tensor([-3]))],
    "repeat.default": lambda: [(f(2, 3), [2, 1, 3]), (f(2), [1])],
    "replication_pad2d.default": lambda: [(f(1, 2, 5, 4), [1, 2, 3, 1])],
    "replication_pad3d.default": lambda: [(f(1, 2, 3, 3, 3), [1, 1, 2, 1, 0, 1])],
    "scalar_tensor.default": lambda: [(1.5,), (2, {"dtype": torch.int64})],
    "scatter.src": lambda: [(f(3, 4), 1, torch.tensor([[0, 2], [1, 3]]), f(2, 2))],
    "scatter.value": lambda: [(f(3, 4), 1, torch.tensor([[0, 2], [1, 3]]), 2.5)],
    "scatter_add.default": lambda: [(f(3, 4), 0, index(5, 4, size=3), f(5, 4))],
    "scatter_reduce.two": lambda: [
        (f(3, 4), 0, index(5, 4, size=3), f(5, 4), kind, {"include_self": included})
        for kind in ("sum", "prod", "amax", "amin", "mean")
        for included in (True, False)
    ],
    "select.int": lambda: [(f(2, 3, 4), 1, 2), (f(2, 3), -1, -1)],
    "select_scatter.default": lambda: [(f(2, 3, 4), f(2, 4), 1, 2)],
    "slice.Tensor": lambda: [(f(5, 3), 0, 1, 4), (f(5, 3), 0, -3, 100, 2), (f(5, 3), 1)],
    "slice_scatter.default": lambda: [(f(5, 3), f(2, 3), 0, 1, 3), (f(5, 3), f(3, 3), 0, 0, 5, 2)],
    "sort.default": lambda: [(f(2, 6), 1), (f(6, 2), 0, True)],
    "split_with_sizes.default": lambda: [(f(2, 6), [1, 2, 3], 1)],
    "squeeze.dim": lambda: [(f(2, 1, 3), 1), (f(2, 1, 3), 0)],
    "squeeze.dims": lambda: [(f(1, 2, 1), [0, 2])],
    "sub.Scalar": lambda: [(f(2, 3), 1.5)],
    "sub.Tensor": lambda: [(f(2, 3), f(3)), (f(2, 3), n(3), {"alpha": 3})],
    "sum.dim_IntList": lambda: [(f(2, 3, 4), [0, 2]), (n(2, 3), [1], True), (bits(2, 3), [1]), (f(2, 3), None)],
    "sym_is_contiguous.default": lambda: [(f(2, 3),)],
    "sym_numel.default": lambda: [(f(2, 3),)],
    "sym_size.int": lambda: [(f(2, 3), 1)],
    "sym_storage_offset.default": lambda: [(f(2, 3),)],
    "sym_stride.int": lambda: [(f(2, 3), 0)],
    "topk.default": lambda: [(f(2, 6), 3), (f(6, 2), 2, 0, False), (torch.randperm(6)[None], 6)],
    "unsqueeze.default": lambda: [(f(2, 3), 1), (f(2, 3), -1)],
    "upsample_bilinear2d.vec": lambda: [(f(1, 2, 4, 5), [7, 8], False, None), (f(1, 2, 4, 5), None, True, [2.0, 1.5])],
    "upsample_nearest2d.vec": lambda: [(f(1, 2, 4, 5), [7, 8], None), (f(1, 2, 4, 5), None, [2.0, 1.5])],
    "var.correction": lambda: [(f(2, 3, 4), [1]), (f(2, 3), [0, 1], {"correction": 0, "keepdim": True})],
    "var.dim": lambda: [(f(2, 3, 4), [1], False), (f(2, 3), [0], True, True)],
    "view.default": lambda: [(f(2, 6), [3, 4]), (f(2, 6), [-1, 3])],
    "where.self": lambda: [(bits(2, 3), f(2, 3), f(3)), (bits(2, 3), n(2, 3), f(1))],
}
"""Arguments of each overload that is supported; several sets of them where its arguments change what it does."""


def expected_of(module: Operators) -> list[tuple[str, Any]]:
    """What torch computes, as arrays, with the name of the overload that each comes from."""
    found: list[tuple[str, Any]] = []
    for label, result in module(*module.inputs).items():
        parts = result if isinstance(result, tuple | list) else [result]
        found += [(label, each.numpy() if isinstance(each, Tensor) else torch.tensor(each).numpy()) for each in parts]
    return found


def results_of(module: Operators) -> list[Array]:
    """The outputs of the imported module, by the graph interpreter."""
    imported = frontend.import_model(frontend.load_model(frontend.export(module, module.inputs)))
    with np.errstate(all="ignore"):
        return run_graph(imported.module, [each.numpy() for each in module.inputs], imported.weights)


def differences(module: Operators) -> list[str]:
    """How the imported module differs from torch."""
    wanted = expected_of(module)
    results = [(label, compare(value, ours)) for (label, value), ours in zip(wanted, results_of(module), strict=True)]
    return [f"{label}: {result.describe()}" for label, result in results if not result.passed]
