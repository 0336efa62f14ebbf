"""Formulas of TVM's interface that one module and one call compute together."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from s2s import tvm
from s2s.interpret.graph import run_graph
from s2s.tvm import relay, te, topi
from s2s.types.dtypes import Array

Function = Callable[[], Any] | Callable[[Any], Any] | Callable[[Any, Any], Any] | Callable[[Any, Any, Any], Any]
Case = tuple[Function, Sequence[Array], Function]
"""A formula, the arrays that it is given, and what it computes of these."""


def applied(function: Function, arguments: Sequence[Any]) -> Any:
    """The value of a function."""
    return cast(Callable[..., Any], function)(*arguments)


def _shared(cases: Sequence[Case]) -> dict[int, Array]:
    """The arrays of all cases by their identity, each once."""
    return {id(x): x for _, operands, _ in cases for x in operands}


def computed(cases: Sequence[Case]) -> list[Array]:
    """The result of each formula of tensors, of one kernel; arrays that are one object are one argument."""
    arrays = _shared(cases)
    inputs = {key: te.placeholder(x.shape, str(x.dtype), f"x{at}") for at, (key, x) in enumerate(arrays.items())}
    outputs: list[te.Tensor] = [applied(formula, [inputs[id(x)] for x in operands]) for formula, operands, _ in cases]
    results = [np.zeros(topi.utils.get_const_tuple(y.shape), y.dtype) for y in outputs]
    schedule = te.create_schedule([y.op for y in outputs])
    tvm.build(schedule, [*inputs.values(), *outputs], "llvm", name="together")(*arrays.values(), *results)
    return results


def elementwise(formula: Function) -> Function:
    """A formula of elements as one of vectors."""

    def vectors(*tensors: te.Tensor) -> te.Tensor:
        return te.compute(tensors[0].shape, lambda i: applied(formula, [x[i] for x in tensors]), name="Y")

    return vectors


def interpreted(cases: Sequence[Case]) -> list[Array]:
    """The result of each formula of relay, of one module."""
    arrays = _shared(cases)
    variables = {
        key: relay.var(f"x{at}", shape=x.shape, dtype=str(x.dtype)) for at, (key, x) in enumerate(arrays.items())
    }
    fields: list[relay.Expr] = [
        applied(formula, [variables[id(x)] for x in operands]) for formula, operands, _ in cases
    ]
    mod = relay.IRModule.from_expr(relay.Function(list(variables.values()), relay.Tuple(fields)))
    mod.module.verify()
    return run_graph(mod.module, list(arrays.values()), mod.weights)


def check(case: Case, result: Array, tolerance: float) -> None:
    """Compare the shape, the type and the numbers of a result with the reference."""
    _, operands, reference = case
    expected = np.asarray(applied(reference, operands))
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
