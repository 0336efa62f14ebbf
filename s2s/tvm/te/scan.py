"""`te.scan`: tensors whose rows are computed one after the other from rows before them.

    state = te.placeholder((m, n))
    init = te.compute((1, n), lambda _, i: X[0, i])
    update = te.compute((m, n), lambda t, i: state[t - 1, i] + X[t, i])
    total = te.scan(init, update, state, inputs=[X])

A step becomes a network that `graph.scan` runs: what it reads of `state` is carried from step to step, and what it
reads of other tensors at `t` is one slice of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import PlaceholderOp, Tensor, TensorOp
from s2s.tvm.te.operations import ComputeOp
from s2s.tvm.te.topology import reached


class ScanCall:
    """The initial rows, the step and the state of some tensors, which are computed together."""

    def __init__(self, name: str, inits: Sequence[Tensor], updates: Sequence[Tensor], states: Sequence[Tensor]) -> None:
        self.name, self.inits, self.updates, self.states = name, tuple(inits), tuple(updates), tuple(states)
        names = [name] if len(states) == 1 else [f"{name}.v{number}" for number in range(len(states))]
        self.outputs = tuple(
            Tensor(state.shape, state.dtype, ScanOp(each, (), self), number)
            for number, (each, state) in enumerate(zip(names, states, strict=True))
        )
        made = [op for each in self.updates for op in reached(each.op)]
        keys = {each.key for each in self.states}
        inside: set[TensorOp] = set()
        for op in made:  # producers first
            if any(each.key in keys or each.op in inside for each in op.input_tensors):
                inside.add(op)
        inside |= {each.op for each in self.updates}
        self.step = [op for op in dict.fromkeys(made) if op in inside]
        """The operations of a step, producers first."""
        read = [each for op in self.step for each in op.input_tensors]
        self.outer = tuple({each.key: each for each in read if each.key not in keys and each.op not in inside}.values())
        """The tensors that a step reads and that are computed before."""


@frozen(eq=False)
class ScanOp(TensorOp):
    """The operation of a tensor that is computed row after row."""

    call: ScanCall

    @property
    def input_tensors(self) -> tuple[Tensor, ...]:
        """The initial rows, and what a step reads from outside."""
        return (*self.call.inits, *self.call.outer)


@overload
def scan(
    init: Tensor,
    update: Tensor,
    state_placeholder: Tensor,
    inputs: Sequence[Tensor] | None = None,
    name: str = "scan",
    tag: str = "",
    attrs: object = None,
) -> Tensor: ...
@overload
def scan(
    init: Sequence[Tensor],
    update: Sequence[Tensor],
    state_placeholder: Sequence[Tensor],
    inputs: Sequence[Tensor] | None = None,
    name: str = "scan",
    tag: str = "",
    attrs: object = None,
) -> list[Tensor]: ...
def scan(
    init: Tensor | Sequence[Tensor],
    update: Tensor | Sequence[Tensor],
    state_placeholder: Tensor | Sequence[Tensor],
    inputs: Sequence[Tensor] | None = None,
    name: str = "scan",
    tag: str = "",
    attrs: object = None,
) -> Tensor | list[Tensor]:
    """The tensors whose first rows are `init` and whose row `t` is row `t` of `update`, which reads earlier rows.

    `state_placeholder` stands for the tensors themselves in `update`. `inputs` are the tensors that it reads besides;
    they are seen without being named.
    """
    inits, updates, states = (
        [each] if isinstance(each, Tensor) else list(each) for each in (init, update, state_placeholder)
    )
    if not len(inits) == len(updates) == len(states):
        raise InputError(f"te.scan {name}: {len(inits)} init, {len(updates)} update, {len(states)} state; give as many")
    for start, step, state in zip(inits, updates, states, strict=True):
        if not isinstance(state.op, PlaceholderOp) or not isinstance(step.op, ComputeOp):
            raise InputError(
                f"te.scan {name}: {state.name}, {step.name}: are no state and step; give a placeholder and a formula"
            )
        if not start.dtype == step.dtype == state.dtype or not start.ndim == step.ndim == state.ndim:
            raise InputError(f"te.scan {name}: init, update and state of {state.name} differ; give them one type")
    outputs = ScanCall(name, inits, updates, states).outputs
    return outputs[0] if isinstance(init, Tensor) else list(outputs)
