# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false
"""Overloads of ATen with an axis of varying size: calls whose arguments follow from the shapes of the tensors.

`support.torch_operators` calls overloads with constant numbers, which fix the sizes of some; these follow from shapes.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from support.torch_operators import bits, f, index, n, overload, positive, unit

Function = Callable[..., Any]
Program = tuple[Function, tuple[Tensor, ...]]
"""A function, and tensors that it is called with; axes of the first one are opened."""


def _call(name: str, *others: Any) -> Function:
    """An overload of a tensor and `others`."""
    return lambda x: overload(name)(x, *others)


def _recurrent(name: str, gates: int, state: int) -> Program:
    """A layer of four cells over sequences `[step, batch, 3]`, with `state` tensors of state."""
    weights = [f(gates * 4, 3), f(gates * 4, 4), f(gates * 4), f(gates * 4)]

    def function(x: Tensor, *hidden: Tensor) -> Any:
        given = list(hidden) if state > 1 else hidden[0]
        return overload(name)(x, given, weights, True, 1, 0.0, False, False, False)

    return function, (f(5, 3, 3), *[f(1, 3, 4) for _ in range(state)])


def _resized(name: str, rank: int, *arguments: Any) -> Program:
    """A picture of twice and one and a half times its size."""
    return _call(name, None, *arguments, [2.0, 1.5, 2.0][:rank]), (f(1, 2, *(3, 4, 5)[:rank]),)


PROGRAMS: Mapping[str, Callable[[], Program]] = {
    "_upsample_nearest_exact1d.vec": lambda: _resized("_upsample_nearest_exact1d.vec", 1),
    "_upsample_nearest_exact2d.vec": lambda: _resized("_upsample_nearest_exact2d.vec", 2),
    "_upsample_nearest_exact3d.vec": lambda: _resized("_upsample_nearest_exact3d.vec", 3),
    "_unique2.default": lambda: (lambda x: torch.unique(x, return_inverse=True, return_counts=True), (n(3, 4),)),
    "adaptive_max_pool2d.default": lambda: (lambda x: functional.adaptive_max_pool2d(x, (2, 3)), (f(3, 4, 5, 6),)),
    "addmm.default": lambda: (torch.ops.aten.addmm.default, (f(3, 5), f(3, 4), f(4, 5))),
    "arange.start_step": lambda: (lambda x: overload("arange.start_step")(1, 2 * x.shape[0], 2) + x, (f(3),)),
    "as_strided.default": lambda: (lambda x: x.as_strided((x.shape[0] - 1, 3), (4, 1), 1), (f(4, 4),)),
    "bmm.default": lambda: (torch.ops.aten.bmm.default, (f(3, 5, 4), f(3, 4, 6))),
    "cat.default": lambda: (lambda x, y: torch.cat([x, y, x], 1), (f(3, 4), f(3, 5))),
    "embedding.default": lambda: (lambda i, w: torch.ops.aten.embedding.default(w, i), (index(3, 4, size=5), f(5, 6))),
    "empty.memory_format": lambda: (lambda x: torch.empty(x.shape[0], 4).fill_(2.0), (f(3),)),
    "empty_strided.default": lambda: (lambda x: torch.empty_strided((x.shape[0], 4), (4, 1)).fill_(2.0), (f(3),)),
    "expand.default": lambda: (lambda x: x.expand(2, -1, -1), (f(3, 4),)),
    "full.default": lambda: (lambda x: torch.full((x.shape[0], 4), 1.5), (f(3),)),
    "grid_sampler_2d.default": lambda: (
        lambda grid, x: torch.ops.aten.grid_sampler_2d.default(x, grid, 0, 0, False),
        (unit(1, 3, 4, 2), f(1, 2, 5, 6)),
    ),
    "gru.input": lambda: _recurrent("gru.input", 3, 1),
    "index_put.default": lambda: (lambda x: x.index_put((torch.tensor([0, 2]),), x[:2] * 2), (f(3, 4),)),
    "grid_sampler_3d.default": lambda: (
        lambda grid, x: torch.ops.aten.grid_sampler_3d.default(x, grid, 0, 0, False),
        (unit(1, 3, 4, 5, 3), f(1, 2, 3, 4, 5)),
    ),
    "linear.default": lambda: (functional.linear, (f(3, 4, 5), f(6, 5), f(6))),
    "lstm.input": lambda: _recurrent("lstm.input", 4, 2),
    "masked_scatter.default": lambda: (torch.ops.aten.masked_scatter.default, (f(3, 4), bits(3, 4), f(3, 4))),
    "masked_select.default": lambda: (torch.masked_select, (f(3, 4), bits(3, 4))),
    "matmul.default": lambda: (torch.matmul, (f(3, 5, 4), f(3, 4, 6))),
    "native_group_norm.default": lambda: (lambda x: functional.group_norm(x, 2), (f(3, 4, 5, 6),)),
    "nonzero.default": lambda: (torch.ops.aten.nonzero.default, (n(3, 4, low=0, high=2),)),
    "reflection_pad1d.default": lambda: (_call("reflection_pad1d.default", [1, 2]), (f(3, 4, 5),)),
    "replication_pad1d.default": lambda: (_call("replication_pad1d.default", [1, 2]), (f(3, 4, 5),)),
    "rms_norm.default": lambda: (lambda x, w: torch.ops.aten.rms_norm.default(x, [5], w), (f(3, 4, 5), positive(5))),
    "rnn_relu.input": lambda: _recurrent("rnn_relu.input", 1, 1),
    "rnn_tanh.input": lambda: _recurrent("rnn_tanh.input", 1, 1),
    "roll.default": lambda: (_call("roll.default", [2, 1], [0, 1]), (f(3, 4, 5),)),
    "scalar_tensor.default": lambda: (lambda x: overload("scalar_tensor.default")(x.shape[0]) + x, (f(3),)),
    "scaled_dot_product_attention.default": lambda: (
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        (f(3, 2, 5, 8), f(3, 2, 5, 8), f(3, 2, 5, 8)),
    ),
    "slice_scatter.default": lambda: (lambda x: torch.slice_scatter(x, x[1:3] * 2, 0, 1, 3), (f(5, 3),)),
    "split_with_sizes.default": lambda: (lambda x: torch.split(x, [1, 2, x.shape[1] - 3], 1), (f(3, 6),)),
    "squeeze.dim": lambda: (_call("squeeze.dim", 1), (f(3, 1, 4),)),
    "squeeze.dims": lambda: (_call("squeeze.dims", [1, 3]), (f(3, 1, 4, 1),)),
    "unique_dim.default": lambda: (lambda x: torch.unique(x, dim=0), (n(3, 4, low=0, high=2),)),
    "upsample_bicubic2d.vec": lambda: _resized("upsample_bicubic2d.vec", 2, False),
    "upsample_bilinear2d.vec": lambda: _resized("upsample_bilinear2d.vec", 2, False),
    "upsample_linear1d.vec": lambda: _resized("upsample_linear1d.vec", 1, False),
    "upsample_nearest1d.vec": lambda: _resized("upsample_nearest1d.vec", 1),
    "upsample_nearest2d.vec": lambda: _resized("upsample_nearest2d.vec", 2),
    "upsample_nearest3d.vec": lambda: _resized("upsample_nearest3d.vec", 3),
    "upsample_trilinear3d.vec": lambda: _resized("upsample_trilinear3d.vec", 3, False),
    "view.default": lambda: (lambda x: x.view(x.shape[0], -1), (f(3, 4, 5),)),
}
