"""Find the network functions of a module: `main`, and the functions that its control flow calls.

The state of a recurrent network is a set of arguments of `main` with the attribute `state`, each tied to a result. They
keep their values between runs. The attribute `init` names the weight with the initial value; the default is zero.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug
from s2s.types.devices import MAIN
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.symbols import enclosing_module, function_named
from s2s.types.weights import WeightStore

KERNEL = "kernel"
CALLBACK = "callback"
"""Attribute of a declaration: the name of the C function, of the user or of a code generator, that it declares."""
PACKED = "packed"
"""Attribute of such a declaration: the name of the packed function that the C function calls."""
DEVICE = "device"
"""Attribute of a kernel, and of operators before fusion: the device that runs it; absent for the first one."""
HOOK = "hook"
"""Attribute of a function in C: a copy to or from a device, which a project may define itself."""
SOURCE = "source"
"""Attribute of such a declaration: the C source of the function, if s2s adds it to the tree."""
EXTERNAL = "external"
"""Attribute of such a declaration, and of a call: the code generator that computes it."""
DEFINITIONS = "definitions"
"""Attribute of such a declaration: the C that stands in front of its source, once for all equal texts."""
HEADERS = "headers"
"""Attribute of such a declaration: what its source includes."""
CONSTANTS = "constants"
"""Attribute of such a declaration: the weights that its code reads beside its arguments."""
SCRATCH = "scratch"
"""Attribute of such a declaration: the bytes of scratch that its code asks for."""
POOL = "pool"
"""Attribute of a constant: the name of its pool."""
LOADED_AT = "loaded_at"
"""Attribute of a constant: where in the arena it is copied before the first run."""
THREADS = "threads"
"""Attribute of `main` and of a divided kernel: the maximum number of threads that run at the same time."""
PER_THREAD = "per_thread"
"""Attribute of a divided kernel: the indices of the arguments that hold a copy for each thread."""
DOC = "doc"
"""Attribute of a kernel: the comment above its C function."""
MEANINGS = "meanings"
"""The module inside the module that holds, under the names of such declarations, what their functions compute."""
STATE = "state"
INIT = "init"
LOADED = "loaded"
"""Attribute of a view of the arena: a constant, which is copied there before the first run."""
TAKES_OVER = "takes_over"
"""Attribute of a view of the arena that begins with the value that another view has left there."""
NAME = "name"


class StateArgument(NamedTuple):
    """An argument of `main` that keeps its value between runs."""

    number: int
    name: str
    type: Attribute
    init: str | None
    """The name of the weight with the initial value; None means zeros."""

    def initial(self, weights: WeightStore) -> Array:
        """Return the value before the first run."""
        kind = as_tensor_type(self.type)
        if self.init is None:
            return np.zeros(kind.get_shape(), to_numpy(kind.element_type))
        return np.array(weights.get(self.init)).reshape(kind.get_shape())


def is_kernel(func: FuncOp) -> bool:
    """Return whether `func` is a kernel that networks call."""
    return KERNEL in func.attributes


def is_network(func: FuncOp) -> bool:
    """Return whether `func`, at graph or tensor level, is a network function and not a kernel."""
    return not is_kernel(func) and not func.is_declaration


def network_functions(module: ModuleOp) -> list[FuncOp]:
    """Return all network functions in the order of the module: `main`, and the bodies of control flow."""
    return [op for op in module.body.block.ops if isinstance(op, FuncOp) and is_network(op)]


def networks(module: ModuleOp) -> list[FuncOp]:
    """Return all network functions, callees before callers; raise an error if one calls itself."""
    functions = network_functions(module)
    return callees_first(functions, lambda func: [name for op in walk(func) for name in networks_run_by(op)])


def callees_first(functions: Sequence[FuncOp], callees: Callable[[FuncOp], Iterable[str]]) -> list[FuncOp]:
    """Return `functions` in an order in which callees precede their callers."""
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
    """Return the names of the network functions that `op` calls."""
    return op.networks if isinstance(op, graph.NetworkOp) else ()


def device_of(kernel: FuncOp) -> str:
    """Return the device that runs `kernel`."""
    device = kernel.attributes.get(DEVICE)
    return device.data if isinstance(device, StringAttr) else MAIN


def has_control_flow(module: ModuleOp) -> bool:
    """Return whether a network function calls another."""
    return any(isinstance(op, graph.NetworkOp) for op in walk(module))


def state_arguments(main: FuncOp) -> tuple[StateArgument, ...]:
    """Return the arguments of `main` that keep their values between runs."""
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
    """Return the text of a string attribute of an argument or result; None if it is missing."""
    value = attributes.data.get(key)
    return value.data if isinstance(value, StringAttr) else None


def input_numbers(main: FuncOp) -> list[int]:
    """Return the indices of the arguments of `main` that the caller passes."""
    kept = {state.number for state in state_arguments(main)}
    return [number for number in range(len(main.function_type.inputs)) if number not in kept]


def output_numbers(main: FuncOp) -> list[int]:
    """Return the indices of the results of `main` that the caller receives."""
    return [number for number, argument in enumerate(graph.tied_arguments(main)) if argument is None]


def meaning_of(declaration: FuncOp) -> FuncOp | None:
    """Return the function of operators that states what a declared C function computes; None where nobody knows."""
    module = enclosing_module(declaration)
    if module is None:
        return None
    meanings = meanings_of(module)
    return None if meanings is None else function_named(meanings, declaration.sym_name.data)


def meanings_of(module: ModuleOp) -> ModuleOp | None:
    """Return the module that holds the meanings of C functions."""
    nested = (op for op in module.body.block.ops if isinstance(op, ModuleOp))
    return next((op for op in nested if op.sym_name is not None and op.sym_name.data == MEANINGS), None)


def add_meaning(module: ModuleOp, function: FuncOp) -> None:
    """Add `function`, which states what the C function declared under its name computes, to the module of meanings."""
    meanings = meanings_of(module)
    if meanings is None:
        meanings = ModuleOp([], sym_name=StringAttr(MEANINGS))
        module.body.block.add_op(meanings)
    meanings.body.block.add_op(function)


def main_of(module: ModuleOp) -> FuncOp:
    """Return the function `@main`."""
    main = function_named(module, "main")
    if main is None:
        raise CompilerBug("the module has no main")
    return main
