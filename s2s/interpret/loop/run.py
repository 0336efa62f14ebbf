"""Run networks and kernels at loop level."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from s2s.analysis.memory.buffers import outputs_of
from s2s.analysis.network.arguments import Role, role_of
from s2s.errors import CompilerBug, InputError
from s2s.interpret.graph import Observer
from s2s.interpret.loop.memory import allocate, flat
from s2s.interpret.loop.scope import Called, Kernel, Options, Scope, buffer_name, length, memref
from s2s.interpret.loop.state import initial_loop_state, state_places
from s2s.interpret.loop.translate import translate_function
from s2s.interpret.scalar import signless
from s2s.types.dtypes import Array, to_numpy
from s2s.types.sizes import greatest_sizes
from s2s.types.weights import WeightStore


def run_loop(
    module: ModuleOp,
    inputs: Sequence[Array],
    weights: WeightStore | None = None,
    observe: Observer | None = None,
    options: Options | None = None,
    state: list[Array] | None = None,
) -> list[Array]:
    """Run `@main` and return its outputs, flat, in the order of its arguments; `inputs` are flat too.

    `observe` is called with every kernel call of `@main` and copies of the outputs that the kernel has written. `state`
    is updated from run to run; None starts from the initial state. The arguments of `@main` have roles.
    """
    options = options or Options()
    options = Options(options.fused, options.poison, {**greatest_sizes(module.attributes), **options.sizes})
    main = find_function(module, "main")
    arguments = main.body.block.args
    roles = [_role(main, number) for number in range(len(arguments))]
    if roles.count(Role.INPUT) != len(inputs):
        raise InputError(
            f"inputs: {len(inputs)} are given, the network has {roles.count(Role.INPUT)}; give one array for each"
        )
    given, buffers = iter(inputs), list[Array]()
    for argument, role in zip(arguments, roles, strict=True):
        if role == Role.INPUT:
            buffers.append(_checked(flat(next(given)), argument))
            buffers[-1].flags.writeable = False
        else:
            buffers.append(allocate(memref(argument), poison=options.poison))
    places = state_places(main)
    values = state if state is not None else initial_loop_state(main, weights or WeightStore())
    for place, value in zip(places, values, strict=True):
        place.of(buffers)[:] = value
    _Program(main, weights, options, observe).run(buffers)
    values[:] = [place.of(buffers).copy() for place in places]
    return [buffer for buffer, role in zip(buffers, roles, strict=True) if role == Role.OUTPUT]


def run_loop_function(
    function: FuncOp, buffers: Sequence[Array], weights: WeightStore | None = None, options: Options | None = None
) -> None:
    """Run one kernel on its buffers in place."""
    arguments = function.body.block.args
    if len(buffers) != len(arguments):
        raise InputError(
            f"@{function.sym_name.data}: {len(buffers)} buffers are given, it takes {len(arguments)}; give all"
        )
    if not all(buffer.flags.c_contiguous or not any(buffer.strides) for buffer in buffers):
        raise InputError(f"@{function.sym_name.data}: a buffer is not contiguous; pass np.ascontiguousarray of it")
    given = [_checked(flat(buffer), argument) for buffer, argument in zip(buffers, arguments, strict=True)]
    _Program(function, weights, options, None).run(given)


def find_function(place: Operation, name: str) -> FuncOp:
    """Return the function called `name` in the module that holds `place`."""
    found = SymbolTable.lookup_symbol(place, name)
    if not isinstance(found, FuncOp):
        raise CompilerBug(f"@{name} is not a function of the module")
    return found


class _Program:
    """A function and its callees, compiled on first use."""

    def __init__(
        self, entry: FuncOp, weights: WeightStore | None, options: Options | None, observe: Observer | None
    ) -> None:
        self.entry = entry
        self.weights = weights or WeightStore()
        self.options = options or Options()
        self.observe = observe
        self.kernels: dict[str, Kernel] = {}

    def run(self, buffers: Sequence[Array]) -> None:
        """Run the entry function."""
        with np.errstate(all="ignore"):
            self._translate(self.entry, self._report if self.observe is not None else None)(
                [signless(buffer) for buffer in buffers]
            )

    def _translate(self, function: FuncOp, called: Called | None = None) -> Kernel:
        return translate_function(
            Scope(function.sym_name.data, self.weights, self.options, self._callee, called), function
        )

    def _callee(self, name: str) -> Kernel:
        if name not in self.kernels:
            self.kernels[name] = self._translate(find_function(self.entry, name))
        return self.kernels[name]

    def _report(self, op: CallOp, buffers: Sequence[Array]) -> None:
        outputs = outputs_of(find_function(self.entry, op.callee.string_value()))
        values = [
            buffer.view(to_numpy(memref(output).element_type)).copy()
            for buffer, output in zip(buffers, outputs, strict=False)
        ]
        assert self.observe is not None
        self.observe(op, values)


def _role(main: FuncOp, number: int) -> Role:
    """Return the role of an argument of `main`."""
    role = None if main.arg_attrs is None else role_of(main.arg_attrs.data[number].data)
    if role is None:
        raise CompilerBug(f"@main: argument %{main.body.block.args[number].name_hint} has no role")
    return role


def _checked(value: Array, argument: SSAValue) -> Array:
    """Return `value` if its type and shape match `argument`; else raise an error."""
    type = memref(argument)
    if len(value) != length(argument) or value.dtype != to_numpy(type.element_type):
        raise InputError(
            f"{buffer_name(argument)}: array has {len(value)} elements of {value.dtype}; convert or reshape it"
        )
    return value.view()
