"""Write the network's self-test: golden vectors as constants, and a C program that compares with them."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import Float64Type
from xdsl.ir import Attribute

from s2s.c_syntax.identifiers import c_macro, c_string, unique_identifiers
from s2s.c_syntax.interface import Interface, Port
from s2s.c_syntax.types import c_type, element_name
from s2s.dialects.c.conversions import is_float, is_half
from s2s.emit.arenas import arena_definitions
from s2s.emit.info import HALF_ROUNDINGS, NetworkInfo, Tolerance
from s2s.emit.sizes import sample_dims
from s2s.emit.weights import ConstantArray
from s2s.types.dtypes import Array


class KindView(NamedTuple):
    """A floating-point type of outputs, with the conversion of its elements to double."""

    name: str
    c_type: str
    found: str
    expected: str
    allowed: str
    """How much value `a` may differ from value `b`."""


class VectorView(NamedTuple):
    """One run: its preparation and the checks of its outputs."""

    before: tuple[str, ...]
    call: str
    checks: tuple[str, ...]


class TestView(NamedTuple):
    """The test program."""

    headers: tuple[str, ...]
    constants: bool
    """Whether vectors are constants of another file."""
    standard_headers: tuple[str, ...]
    tolerance: Tolerance | None
    """The permitted error of floats; None without any."""
    memory: tuple[str, ...]
    kinds: tuple[KindView, ...]
    exact: bool
    sizes: bool
    """Whether a run computes sizes."""
    run: str
    threads: str
    """The macro with the number of threads; empty if there is only one."""
    bind: str
    """The call that binds the pack of weights; empty without one."""
    vectors: tuple[VectorView, ...]


class Golden(NamedTuple):
    """The arrays of one golden vector: inputs, and expected outputs if they were computed."""

    inputs: tuple[ConstantArray, ...]
    outputs: tuple[ConstantArray, ...]
    computed: Mapping[str, int] = {}
    """The sizes that the run computes, by name."""
    is_zero: bool = False
    """Whether all inputs are zeros, which no file has to hold."""

    @property
    def constants(self) -> tuple[ConstantArray, ...]:
        """The arrays that are written to a file of constants."""
        return () if self.is_zero else (*self.inputs, *self.outputs)


def golden_vectors(info: NetworkInfo) -> list[Golden]:
    """Return the vectors of `info` under C names; without any, one of zero inputs, which still proves that the network
    runs."""
    if not info.golden:
        return [Golden(tuple(_named(info, info.inputs, map(_zeros, info.inputs), 0)), (), is_zero=True)]
    vectors: list[Golden] = []
    for number, vector in enumerate(info.golden):
        arrays = _named(info, info.ports, (*vector.inputs, *vector.outputs), number)
        count = len(info.inputs)
        vectors.append(Golden(tuple(arrays[:count]), tuple(arrays[count:]), vector.computed))
    return vectors


def _named(info: NetworkInfo, ports: Sequence[Port], arrays: Iterable[Array], number: int) -> list[ConstantArray]:
    return [
        ConstantArray(name, port.element, array, port.name)
        for name, port, array in zip(vector_names(info, ports, number), ports, arrays, strict=True)
    ]


def vector_names(network: Interface, ports: Sequence[Port], number: int) -> list[str]:
    """The C names of the constants of vector `number`, for some inputs and outputs."""
    return unique_identifiers([f"{network.name}_{port.identifier}_{number}" for port in ports])


def _zeros(port: Port) -> Array:
    return np.broadcast_to(np.zeros((), port.dtype), port.shape)


def test_view(info: NetworkInfo, vectors: Sequence[Golden], run: str) -> TestView:
    """Create the program that runs `vectors`; `run` is the function that it calls, empty for the network's own."""
    compared = info.outputs if any(vector.outputs for vector in vectors) else ()
    elements = list(dict.fromkeys(port.element for port in compared))
    memory = arena_definitions(info, "arena")
    memory += [_output(info, port) for port in info.outputs]
    for vector in vectors:
        memory += _zero_arrays(info, vector) if vector.is_zero else []
    memory += sample_dims(info, "dims")
    if info.threads is not None:
        memory.append("static s2s_pool pool;")
    if info.pack:
        memory.append(f"static {info.name}_weights weights;")
    inexact = [element for element in elements if _is_inexact(element)]
    exact = len(inexact) < len(elements)
    runs = [_vector(info, vector, graph=bool(run)) for vector in vectors]
    copies = any(each.startswith("memcpy") for vector in runs for each in vector.before)
    return TestView(
        headers=('"s2s_arena.h"', *(['"s2s_half.h"'] if any(map(is_half, elements)) else [])),
        constants=any(vector.constants for vector in vectors),
        standard_headers=(
            *(["<math.h>"] if inexact else []),
            "<stdio.h>",
            "<stdlib.h>",
            *(["<string.h>"] if exact or copies else []),
        ),
        tolerance=None if all(map(is_half, inexact)) else info.tolerance,
        memory=tuple(memory),
        kinds=tuple(map(_kind, inexact)),
        exact=exact,
        sizes=bool(info.computed_sizes),
        run=run,
        threads=f"{info.macro}_THREADS" if info.threads is not None else "",
        bind=info.bind(f"{info.name}_test_pack", f"sizeof {info.name}_test_pack") if info.pack else "",
        vectors=tuple(runs),
    )


def _zero_arrays(info: NetworkInfo, vector: Golden) -> list[str]:
    """Return the definitions of inputs that are zeros."""
    return [
        f"static {port.c_type} {array.identifier}[{info.port_macro(port)}_SIZE];"
        for port, array in zip(info.inputs, vector.inputs, strict=True)
    ]


def _output(info: NetworkInfo, port: Port) -> str:
    """Return the expression of an output: an array, or a place in the arena."""
    if port.offset is None:
        return f"static {port.c_type} {_found(port)}[{info.port_macro(port)}_SIZE];"
    return f"static {port.c_type} *const {_found(port)} = {info.place_of(port, 'arena')};"


def _vector(info: NetworkInfo, vector: Golden, *, graph: bool) -> VectorView:
    """Create a run; an input with a place in the arena is copied there, and the run may overwrite it."""
    inputs, found, before = list[str](), list(map(_found, info.outputs)), list[str]()
    arenas = [pool.parameter for pool in info.pools] or ["arena"]
    arenas = [f"(void *){each}" for each in arenas] if info.arena_type else arenas
    if info.loaded:
        before.append(f"(void){info.load(arenas)};")
    if info.states and not graph:
        before.append(f"(void){info.reset(arenas)};")
    for port, array in zip(info.inputs, vector.inputs, strict=True):
        if port.offset is None:
            inputs.append(array.identifier)
            continue
        inputs.append(info.place_of(port, "arena"))
        before.append(f"memcpy(arena + {info.port_macro(port)}_OFFSET, {array.identifier}, sizeof {array.identifier});")
    if graph:
        call = f"run((const void *const[]){{{', '.join(inputs)}}}, (void *const[]){{{', '.join(found)}}})"
    else:
        call = info.run(arenas, [*inputs, *found])
    places = {
        name: f"dims[{c_macro(f'{info.name}_{field}')}_INDEX]" if graph else f"dims.{field}"
        for name, field in info.size_fields.items()
    }
    checks = [f"check_size({c_string(name)}, {places[name]}, {size})" for name, size in vector.computed.items()]
    for array, port in zip(vector.outputs, info.outputs, strict=False):
        if array.values.shape == port.shape:
            checks.append(_check(info, port, array))
        else:
            checks += _checks_of_rows(array, port)
    return VectorView(tuple(before), call, tuple(checks))


def _check(info: NetworkInfo, port: Port, expected: ConstantArray) -> str:
    operands, size = (
        f"{c_string(expected.name)}, {_found(port)}, {expected.identifier}",
        f"{info.port_macro(port)}_SIZE",
    )
    if _is_inexact(port.element):
        return f"check_{element_name(port.element)}({operands}, {size})"
    bytes = f"sizeof {_found(port)}" if port.offset is None else f"{size} * sizeof *{_found(port)}"
    return f"check_exact({operands}, {bytes})"


def _checks_of_rows(array: ConstantArray, port: Port) -> list[str]:
    """Compare the parts that count of an output with room for `shape`: what is contiguous in both is one row."""
    actual, shape, label, found = array.values.shape, port.shape, c_string(array.name), _found(port)
    axis = max(number for number, size in enumerate(shape) if actual[number] != size)
    count = prod(actual[axis:])
    checks: list[str] = []
    for row, place in enumerate(np.ndindex(actual[:axis])):
        start = int(np.ravel_multi_index((*place, *[0] * (len(shape) - axis)), shape))
        operands = f"{label}, {found} + {start}, {array.identifier} + {row * count}"
        if _is_inexact(port.element):
            checks.append(f"check_{element_name(port.element)}({operands}, {count})")
        else:
            checks.append(f"check_exact({operands}, {count} * sizeof *{found})")
    return checks


def _found(port: Port) -> str:
    return f"found_{port.identifier}"


def _is_inexact(element: Attribute) -> bool:
    return is_float(element) or is_half(element)


def _kind(element: Attribute) -> KindView:
    name = element_name(element)
    if is_half(element):
        found, expected = (f"(double)s2s_{name}_to_f32({side}[i])" for side in ("found", "expected"))
        allowed = f"{HALF_ROUNDINGS[name]!r} * (1.0 + fabs(b))"
    else:
        allowed = "ABSOLUTE + RELATIVE * fabs(b)"
        cast = "" if isinstance(element, Float64Type) else "(double)"
        found, expected = f"{cast}found[i]", f"{cast}expected[i]"
    return KindView(name, c_type(element), found, expected, allowed)
