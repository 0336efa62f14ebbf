"""The operators of TFLite that the reference has: what the reference kernels of TFLite Micro compute."""

from __future__ import annotations

from collections.abc import Callable

from s2s.prove.atoms import Atoms
from s2s.prove.faults import Unprovable
from s2s.prove.reference.elementwise import add, reshape, softmax_rows
from s2s.prove.reference.execution import Execution
from s2s.prove.reference.model import Model, Step
from s2s.prove.reference.windows import average_pool, conv, depthwise, fully_connected

OPERATORS: dict[str, Callable[[Execution, Step], None]] = {
    "CONV_2D": conv,
    "DEPTHWISE_CONV_2D": depthwise,
    "FULLY_CONNECTED": fully_connected,
    "AVERAGE_POOL_2D": average_pool,
    "ADD": add,
    "RESHAPE": reshape,
    "SOFTMAX": softmax_rows,
}


def execute(model: Model, atoms: Atoms) -> None:
    """Give every tensor of a model its atoms.

    Where the reference does not have an operator, its result is new atoms and the step says the reason.
    """
    execution = Execution(model, atoms)
    for step in model.steps:
        try:
            _execute_step(execution, step)
        except Unprovable as limit:
            step.reason = str(limit)
            step.output.be_unknown(f"result of operator {step.number}", atoms)


def _execute_step(execution: Execution, step: Step) -> None:
    operator = OPERATORS.get(step.kind)
    if operator is None:
        msg = f"the reference has no {step.kind}"
        raise Unprovable(msg)
    operator(execution, step)
