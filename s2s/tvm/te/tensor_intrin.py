"""Tensor intrinsics of programs: a formula, and the calls of functions of C that compute a block by it.

c = te.compute((m,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
gemv = te.decl_tensor_intrin(c.op, lambda ins, outs: tir.call_extern(
    "int32", "gemv_update", outs[0].access_ptr("w"), ins[0].access_ptr("r"), ins[1].access_ptr("r"), m, l))
s[C].tensorize(yi, gemv)
s[C].pragma(x, "import_c", "static int gemv_update(float *c, float *a, float *b, int m, int l) {…}")
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, cast

from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.tvm.te.buffers import Buffer, Calls, calls_of
from s2s.tvm.te.expressions import PlaceholderOp, Tensor, TensorOp
from s2s.tvm.te.operations import ComputeOp


@frozen(eq=False)
class TensorIntrin:
    """A formula of one tensor and the calls that compute a block of it.

    `body` computes a block whose reduction is whole. Where a part of the reduction is outside of it, `reduce_update`
    adds the rest after `reduce_init`; without this one, after `body` in the first step.
    """

    name: str
    op: ComputeOp
    inputs: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    """The memory of the blocks of the inputs, and behind them of the result."""
    body: Calls | None
    reduce_init: Calls | None
    reduce_update: Calls | None

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Refused: schedules say where intrinsics compute."""
        raise UnsupportedError(
            f"tensor intrinsic {self.name}: is not called in formulas; write the formula, and tensorize a loop of it"
        )


def decl_tensor_intrin(
    op: TensorOp,
    fcompute: Callable[[list[Buffer], list[Buffer]], Any],
    name: str = "tensor_intrin",
    binds: Mapping[Tensor, Buffer] | None = None,
    scalar_params: object = None,
    default_buffer_params: Mapping[str, Any] | None = None,
) -> TensorIntrin:
    """An intrinsic that computes the formula `op` by what `fcompute(ins, outs)` returns.

    That is a call, or calls of an `ir_builder`; or a tuple of them for the body, the start of a reduction and its
    update. `binds` gives the memory of tensors, with their strides; by default elements lie without gaps.
    """
    if scalar_params is not None:
        raise UnsupportedError(f"decl_tensor_intrin {name}: scalar_params are not offered; pass numbers to the call")
    if not isinstance(op, ComputeOp) or op.num_outputs != 1:
        raise InputError(f"decl_tensor_intrin {name}: {op.name} is no formula of one tensor; give one")
    inputs, bound = op.input_tensors, binds or {}
    if not all(isinstance(source.op, PlaceholderOp) for source in inputs):
        raise InputError(f"decl_tensor_intrin {name}: reads what formulas compute; give placeholders alone")
    factor = int((default_buffer_params or {}).get("offset_factor", 1))
    if set(default_buffer_params or {}) - {"offset_factor"}:
        raise UnsupportedError(
            f"decl_tensor_intrin {name}: default_buffer_params but offset_factor are not offered; leave them out"
        )
    buffers = tuple(
        bound[operand] if operand in bound else Buffer(operand.name, operand.shape, operand.dtype, (), factor)
        for operand in (*inputs, op.output(0))
    )
    bodies = fcompute(list(buffers[:-1]), list(buffers[-1:]))
    return TensorIntrin(name, op, inputs, buffers, *_bodies(name, bodies))


def _bodies(name: str, returned: object) -> tuple[Calls | None, Calls | None, Calls | None]:
    """The body, the start of the reduction and its update, of what `fcompute` has returned."""
    is_several = isinstance(returned, tuple | list) and not isinstance(returned, Calls)
    parts: list[object] = [*cast("Sequence[object]", returned)] if is_several else [returned]
    if not 1 <= len(parts) <= 3:
        raise InputError(f"decl_tensor_intrin {name}: {len(parts)} bodies; give body, reduce_init and reduce_update")
    body, init, update = (None if part is None else calls_of(part) for part in (*parts, *[None] * (3 - len(parts))))
    return body, init, update
