"""The functions of a module that are networks: `main`, and those that its control flow runs.

The state of a network are arguments of `main` with the attribute `state`, each tied to a result: they keep their
values from run to run. `init` names the weight that holds the initial value; without it that is zero.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from s2s.dialects import graph
from s2s.errors import CompilerBug
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

KERNEL = "kernel"
CALLBACK = "callback"
"""Attribute of a declaration: the C function of the user that it stands for."""
SOURCE = "source"
"""Attribute of such a declaration: the C text that defines the function, where s2s is to add it to the tree."""
STATE = "state"
INIT = "init"
NAME = "name"


@dataclass(frozen=True)
class StateArgument:
    """An argument of `main` that keeps its value."""

    number: int
    name: str
    type: Attribute
    init: str | None
    """The weight that holds the initial value; zeros without one."""

    def initial(self, weights: WeightStore) -> Array:
        """The value before the first run."""
        kind = as_tensor_type(self.type)
        if self.init is None:
            return np.zeros(kind.get_shape(), to_numpy(kind.element_type))
        return np.array(weights.get(self.init)).reshape(kind.get_shape())


def is_network(func: FuncOp) -> bool:
    """Whether `func`, of the graph or tensor level, calls kernels or will; a kernel calls nothing."""
    return KERNEL not in func.attributes and not func.is_declaration


def networks(module: ModuleOp) -> list[FuncOp]:
    """All networks, each behind those that it runs; a network that runs itself is refused."""
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp) and is_network(op)]
    return callees_first(functions, lambda func: [name for op in func.walk() for name in networks_run_by(op)])


def callees_first(functions: Sequence[FuncOp], callees: Callable[[FuncOp], Iterable[str]]) -> list[FuncOp]:
    """`functions` in an order in which each comes behind the ones that it calls."""
    by_name = {func.sym_name.data: func for func in functions}
    done: list[FuncOp] = []
    active: list[str] = []

    def visit(func: FuncOp) -> None:
        name = func.sym_name.data
        if name in active:
            raise CompilerBug(f"network @{name} runs itself: {' -> '.join([*active, name])}")
        if func in done:
            return
        active.append(name)
        for callee in callees(func):
            if callee in by_name:
                visit(by_name[callee])
        active.pop()
        done.append(func)

    for func in functions:
        visit(func)
    return done


def networks_run_by(op: object) -> tuple[str, ...]:
    """The names of the networks that `op` runs."""
    return op.networks if isinstance(op, graph.NetworkOp) else ()


def has_control_flow(module: ModuleOp) -> bool:
    """Whether some network runs another."""
    return any(isinstance(op, graph.NetworkOp) for op in module.walk())


def state_arguments(main: FuncOp) -> tuple[StateArgument, ...]:
    """The arguments of `main` that keep their values."""
    found: list[StateArgument] = []
    for number, (attributes, type) in enumerate(
        zip(main.arg_attrs or (), main.function_type.inputs, strict=main.arg_attrs is not None)
    ):
        if STATE in attributes.data:
            found.append(
                StateArgument(number, text(attributes, NAME) or f"state{number}", type, text(attributes, INIT))
            )
    return tuple(found)


def text(attributes: DictionaryAttr, key: str) -> str | None:
    """A text among the attributes of an argument or result."""
    value = attributes.data.get(key)
    return value.data if isinstance(value, StringAttr) else None


def input_numbers(main: FuncOp) -> list[int]:
    """The arguments of `main` that the caller gives."""
    kept = {state.number for state in state_arguments(main)}
    return [number for number in range(len(main.function_type.inputs)) if number not in kept]


def output_numbers(main: FuncOp) -> list[int]:
    """The results of `main` that the caller gets."""
    return [number for number, argument in enumerate(graph.tied_arguments(main)) if argument is None]


def main_of(module: ModuleOp) -> FuncOp:
    """`@main`."""
    main = function_named(module, "main")
    if main is None:
        raise CompilerBug("the module has no main")
    return main
