"""The C function that calls a packed function with the tensors of a kernel.

    void net_app_scale_1f0c2d3e(float *y0, const float *x0)
    {
        static const int64_t x0_shape[] = {2, 3};
        static const int64_t y0_shape[] = {2, 3};
        s2s_tensor tensors[] = {
            {(void *)(uintptr_t)x0, {S2S_DEVICE_CPU, 0}, 2, {S2S_DTYPE_FLOAT, 32u, 1u}, x0_shape, NULL, 0u},
            {y0, {S2S_DEVICE_CPU, 0}, 2, {S2S_DTYPE_FLOAT, 32u, 1u}, y0_shape, NULL, 0u},
        };
        s2s_value args[2];
        int type_codes[2];

        s2s_kernel_call("app.scale", S2S_LINKED(app_scale), tensors, 1, 2, 2, args, type_codes);
    }

The linker knows `app.scale` as `app_scale`. Where its source is given, the kernel calls it without a registry.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from s2s.c_syntax.identifiers import c_identifier, c_string
from s2s.c_syntax.types import c_type, dlpack_of
from s2s.types.dtypes import AnyTensor

_DIGITS = 8


class PackedCall(NamedTuple):
    """The call of a packed function on tensors of certain types."""

    function: str
    prefix: str
    source: str | None
    inputs: tuple[AnyTensor, ...]
    outputs: tuple[AnyTensor, ...]
    numbers: tuple[int | float, ...] = ()
    """Constants that follow the tensors."""

    @property
    def name(self) -> str:
        """The name of the C function, after its text: equal calls share one function."""
        text = "\n".join([self.function, self.source or "", *map(str, (*self.inputs, *self.outputs, *self.numbers))])
        return f"{self.prefix}_{self._linked}_{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"

    @property
    def definitions(self) -> str:
        """The packed function's own source; without it, its prototype for the linker."""
        if self.source is not None:
            return self.source.strip("\n")
        parameters = "s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource"
        return f"int {self._linked}({parameters});"

    @property
    def text(self) -> str:
        """The definition of the C function."""
        tensors = [*_named("x", self.inputs), *_named("y", self.outputs)]
        parameters = [f"{_c_element(type)} *{name}" for name, type in _named("y", self.outputs)]
        parameters += [f"const {_c_element(type)} *{name}" for name, type in _named("x", self.inputs)]
        linked = self._linked if self.source is not None else f"S2S_LINKED({self._linked})"
        first = len(tensors)
        count = first + len(self.numbers)
        arguments = f"{c_string(self.function)}, {linked}, tensors, {len(self.inputs)}, {first}, {count}"
        lines = [
            f"void {self.name}({', '.join(parameters)})",
            "{",
            *(f"    {line}" for name, type in tensors for line in _shape(name, type)),
            "    s2s_tensor tensors[] = {",
            *(f"        {_tensor(name, type)}," for name, type in tensors),
            "    };",
            f"    s2s_value args[{count}];",
            f"    int type_codes[{count}];",
            "",
            *(f"    {line}" for number, value in enumerate(self.numbers, first) for line in _number(number, value)),
            f"    s2s_kernel_call({arguments}, args, type_codes);",
            "}",
        ]
        return "\n".join(lines)

    @property
    def _linked(self) -> str:
        return c_identifier(self.function)


def _named(letter: str, types: Sequence[AnyTensor]) -> list[tuple[str, AnyTensor]]:
    return [(f"{letter}{number}", type) for number, type in enumerate(types)]


def _c_element(type: AnyTensor) -> str:
    return c_type(type.element_type)


def _shape(name: str, type: AnyTensor) -> list[str]:
    sizes = ", ".join(map(str, type.get_shape()))
    return [f"static const int64_t {name}_shape[] = {{{sizes}}};"] if sizes else []


def _number(place: int, value: int | float) -> list[str]:
    """The statements that make a constant the argument at `place`."""
    if isinstance(value, float):
        return [f"args[{place}].v_float64 = {value!r};", f"type_codes[{place}] = S2S_ARG_FLOAT;"]
    return [f"args[{place}].v_int64 = {int(value)};", f"type_codes[{place}] = S2S_ARG_INT;"]


def _tensor(name: str, type: AnyTensor) -> str:
    """The initialiser of a tensor's descriptor."""
    code, bits = dlpack_of(type.element_type)
    data = name if name.startswith("y") else f"(void *)(uintptr_t){name}"
    rank = type.get_num_dims()
    shape = f"{name}_shape" if rank else "NULL"
    return f"{{{data}, {{S2S_DEVICE_CPU, 0}}, {rank}, {{{code}, {bits}u, 1u}}, {shape}, NULL, 0u}}"
