"""Capture a module of PyTorch: export it, decompose what the importers do not read, and write it down as records."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
import operator
import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.names import one_line
from s2s.frontends.torch.decompositions import decompositions
from s2s.frontends.torch.program import (
    Argument,
    Buffer,
    Call,
    DType,
    Graph,
    Info,
    Input,
    Program,
    Ref,
    TensorInfo,
)
from s2s.frontends.torch.recurrent_shapes import has_layers, lengths_kept
from s2s.frontends.torch.size_names import SizeNames, fixed_axes
from s2s.frontends.torch.structures import output_names, register_dataclasses
from s2s.frontends.torch.table import KEPT
from s2s.types.dtypes import Array
from s2s.types.weights import adopted

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

_PYTHON = ("_operator", "operator", "math", "torch", "torch.fx.experimental.sym_node")
"""Modules of which exported programs call functions on sizes."""
_INSTALLED_TORCH = re.compile(r"[/\\](site|dist)-packages[/\\]torch[/\\]")
"""Files of torch, also where a program was exported on another machine."""
_FOREIGN = "not a known type"
"""What torch says of an object that it can't take apart."""
_SEPARATOR = re.compile(r"[/\\]")
"""What separates folders, on any machine."""


def import_torch() -> Any:
    """The package, or the way to get it."""
    try:
        import torch

        importlib.import_module("torch.export")  # torch imports it late
    except ImportError as error:
        raise InputError("PyTorch models: needs torch, which is not installed; pip install torch") from error
    return torch


def export(
    module: torch.nn.Module,
    example_inputs: Sequence[object],
    example_kwargs: Mapping[str, object] | None = None,
    dynamic_shapes: Any = None,
) -> ExportedProgram:
    """The program that `module` runs on inputs like the examples."""
    named = dict(example_kwargs or {})
    try:
        try:
            return _exported(module, example_inputs, named, dynamic_shapes)
        except Exception as error:
            if _FOREIGN not in str(error) or not register_dataclasses(module, example_inputs, named):
                raise
            return _exported(module, example_inputs, named, dynamic_shapes)
    except Exception as error:
        raise UnsupportedError(
            f"{type(module).__name__}: torch.export does not capture it ({one_line(str(error).strip())}); "
            f"{_way_out(str(error))}"
        ) from error


def _exported(module: Any, inputs: Sequence[object], named: Mapping[str, object], shapes: Any) -> ExportedProgram:
    torch = import_torch()
    with torch.no_grad(), warnings.catch_warnings(), lengths_kept(torch) if has_layers(module) else nullcontext():
        warnings.simplefilter("ignore", FutureWarning)  # torch warns of its own calls
        return torch.export.export(module, tuple(inputs), dict(named), dynamic_shapes=shapes)


def _way_out(reason: str) -> str:
    """What to do about a module that is not captured."""
    if "Cache" in reason:
        return (
            "its cache is an object: export a language model by transformers.integrations.executorch."
            "convert_and_export_with_cache, which gives it a static cache, or call the model with use_cache=False"
        )
    return "change the module until torch.export.export takes it"


def capture(decomposed: ExportedProgram, name: str) -> Program:
    """A program of operators that are imported as records."""
    return _Recorder(decomposed, name).program()


def decomposed(exported: ExportedProgram) -> ExportedProgram:
    """The program in the operators that are imported."""
    torch = import_torch()
    table = torch.export.default_decompositions()
    for kept in KEPT:
        packet = getattr(torch.ops.aten, kept.split(".")[0])
        overloads = [kept.split(".")[1]] if "." in kept else packet.overloads()
        for overload in overloads:
            table.pop(getattr(packet, overload), None)
    for overload in _quantised_weights(torch):
        table.pop(overload, None)
    table.update(decompositions())
    with warnings.catch_warnings(), lengths_kept(torch) if has_layers(exported.graph) else nullcontext():
        warnings.simplefilter("ignore", FutureWarning)  # torch warns of its own calls
        try:
            return exported.run_decompositions(table)
        except Exception as error:  # of any kind: torch runs its own meaning of every operator
            reason = one_line(str(error).strip().partition("\n")[0])
            raise UnsupportedError(
                f"the program: torch does not decompose it ({reason}); change the module until "
                "ExportedProgram.run_decompositions takes it"
            ) from error


def _quantised_weights(torch: Any) -> list[object]:
    """Return torchao's operator for weights with scales of blocks, if torchao is loaded: it is imported as it is."""
    packet = getattr(torch.ops.torchao, "dequantize_affine", None)
    return [] if packet is None else [getattr(packet, overload) for overload in packet.overloads()]


def dtype_name(dtype: Any) -> str:
    """`float32` of `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def to_array(tensor: torch.Tensor, what: str) -> Array:
    """The values of a tensor, in row-major order."""
    import torch

    plain = tensor.detach().cpu().resolve_conj()
    if plain.is_sparse or plain.is_quantized or dtype_name(plain.dtype).startswith(("float8", "complex32")):
        kind = "sparse" if plain.is_sparse else dtype_name(plain.dtype)
        raise UnsupportedError(f"{what}: is {kind}; use dense tensors of floats, integers or bool")
    if plain.dtype == torch.bfloat16:
        return np.asarray(plain.contiguous().view(torch.int16).numpy(), order="C").view(ml_dtypes.bfloat16)
    array = plain.contiguous().numpy()
    return array.copy() if prod(array.shape) == 1 else array


class _Recorder:
    """Writes an exported program down."""

    def __init__(self, exported: ExportedProgram, name: str) -> None:
        self._torch = import_torch()
        self._exported: Any = exported
        self._name = name
        self._arrays: dict[object, Array] = {}

    def program(self) -> Program:
        """The whole program."""
        exported, signature = self._exported, self._exported.graph_signature
        graph, constants = self._graph(exported.graph_module)
        kinds = self._torch.export.graph_signature.InputKind
        inputs: list[Input] = []
        numbers: dict[str, int | float | bool | None] = {}
        placeholders = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
        sizes = self._size_names(placeholders)
        changed = {target: result for result, target in signature.buffers_to_mutate.items()}
        buffers: list[Buffer] = []
        for spec in signature.input_specs:
            node, target = spec.arg.name, spec.target
            if spec.kind == kinds.USER_INPUT:
                value = placeholders[node].meta.get("val")
                info = _info(value)
                if isinstance(info, TensorInfo):
                    inputs.append(Input(node, node, info, sizes.sizes(value.shape), fixed_axes(value.shape)))
                else:
                    numbers[node] = getattr(spec.arg, "value", None)
            elif target is not None and target in changed:
                buffers.append(Buffer(node, target, self._array(target).copy(), changed[target]))
            elif target is not None:
                constants[node] = (target, self._array(target))
            else:
                raise UnsupportedError(f"input {one_line(node)}: is {spec.kind.name}; use tensors")
        self._refuse_mutated_inputs()
        return Program(
            self._name,
            graph,
            tuple(inputs),
            numbers,
            constants,
            tuple(buffers),
            self._outputs(),
            f"torch {self._torch.__version__.partition('+')[0]}",
            sizes.bounds,
        )

    def _size_names(self, placeholders: Mapping[str, Any]) -> SizeNames:
        """The open sizes of the tensors that the caller passes."""
        tensors = {
            name: placeholders[name].meta.get("val")
            for name in self._exported.graph_signature.user_inputs
            if isinstance(name, str) and name in placeholders
        }
        shapes = {name: value.shape for name, value in tensors.items() if isinstance(value, self._torch.Tensor)}
        return SizeNames(shapes, self._exported.range_constraints)

    def _refuse_mutated_inputs(self) -> None:
        changed = self._exported.graph_signature.user_inputs_to_mutate
        if changed:
            name = next(iter(changed.values()))
            raise UnsupportedError(
                f"input {one_line(name)}: is changed in place; return the new value, or make it a buffer"
            )

    def _array(self, target: str) -> Array:
        """The value of a parameter, a buffer or a constant; the same one for tensors that share their memory."""
        exported = self._exported
        tensor = exported.state_dict[target] if target in exported.state_dict else exported.constants[target]
        if not isinstance(tensor, self._torch.Tensor):
            raise UnsupportedError(f"constant {one_line(target)}: is a {type(tensor).__name__}; use tensors")
        key = tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype
        if key not in self._arrays:  # the tensors of a loaded program are its own
            self._arrays[key] = adopted(to_array(tensor, f"constant {one_line(target)}"))
        return self._arrays[key]

    # ----------------------------------------------------------------- outputs

    def _outputs(self) -> tuple[tuple[str, Argument], ...]:
        """Names and values of what the caller gets; None is left out."""
        kinds = self._torch.export.graph_signature.OutputKind
        specs = [spec for spec in self._exported.graph_signature.output_specs if spec.kind == kinds.USER_OUTPUT]
        names = output_names(self._exported.call_spec.out_spec, len(specs))
        found: list[tuple[str, Argument]] = []
        for name, spec in zip(names, specs, strict=True):
            if hasattr(spec.arg, "value"):
                if spec.arg.value is not None:
                    found.append((name, spec.arg.value))
            else:
                found.append((name, Ref(spec.arg.name)))
        return tuple(found)

    # ------------------------------------------------------------------ graphs

    def _graph(self, module: Any) -> tuple[Graph, dict[str, tuple[str, Array]]]:
        """A graph as records, and the constant tensors that its nodes stand for."""
        inputs: list[str] = []
        calls: list[Call] = []
        outputs: tuple[Argument, ...] = ()
        graphs: dict[str, Graph] = {}
        constants: dict[str, tuple[str, Array]] = {}
        for node in module.graph.nodes:
            if node.op == "placeholder":
                inputs.append(node.name)
            elif node.op == "get_attr":
                found = operator.attrgetter(node.target)(module)
                if isinstance(found, self._torch.nn.Module):
                    graphs[node.name], inner = self._graph(found)
                    if inner:
                        raise UnsupportedError(f"{one_line(node.name)}: a graph inside holds constants; pass them in")
                else:
                    constants[node.name] = (node.target, to_array(found, node.target))
            elif node.op == "call_function":
                calls.append(self._call(node))
            elif node.op == "output":
                outputs = tuple(self._argument(each, node) for each in _flat(node.args[0]))
        return Graph(tuple(inputs), tuple(calls), outputs, graphs), constants

    def _call(self, node: Any) -> Call:
        target, arguments = self._target(node)
        value = node.meta.get("val")
        several = isinstance(value, Sequence) and not isinstance(value, str)
        results: list[Info] = [_info(each) for each in value] if several else [_info(value)]
        return Call(node.name, target, arguments, tuple(results), _used(node, len(results)), _place(node))

    def _target(self, node: Any) -> tuple[str, dict[str, Argument]]:
        """The name of the function that a node calls, and its arguments by name."""
        ops = self._torch._ops
        given = {str(number): self._argument(each, node) for number, each in enumerate(node.args)}
        named = {name: self._argument(each, node) for name, each in node.kwargs.items()}
        if isinstance(node.target, ops.OpOverload):
            schema = node.target._schema
            arguments: dict[str, Argument] = {}
            for number, parameter in enumerate(schema.arguments):
                if str(number) in given:
                    arguments[parameter.name] = given[str(number)]
                elif parameter.name in named:
                    arguments[parameter.name] = named[parameter.name]
                else:
                    arguments[parameter.name] = self._argument(parameter.default_value, node)
            return str(node.target), arguments
        if isinstance(node.target, ops.HigherOrderOperator):
            return f"higher_order.{node.target.name()}.default", given | named
        if node.target is operator.getitem:
            return "operator.getitem", given
        module, name = getattr(node.target, "__module__", ""), getattr(node.target, "__name__", "")
        if module in _PYTHON or module.startswith("torch."):
            return f"python.{name}", given
        raise UnsupportedError(f"{_place(node)}: calls {one_line(str(node.target))}; use operators of torch")

    def _argument(self, given: Any, node: Any) -> Argument:
        if isinstance(given, self._torch.fx.Node):
            return Ref(given.name)
        if given is None or isinstance(given, bool | int | float | complex | str):
            return given
        if isinstance(given, Sequence):
            return tuple(self._argument(each, node) for each in given)
        if isinstance(given, self._torch.dtype):
            return DType(dtype_name(given))
        if isinstance(given, self._torch.device | self._torch.layout | self._torch.memory_format):
            return str(given)
        raise UnsupportedError(f"{_place(node)}: is given {one_line(repr(given))}; use tensors and numbers")


def _flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _used(node: Any, count: int) -> frozenset[int]:
    """Which results some node reads."""
    if count == 1:
        return frozenset([0])
    picked = [user.args[1] for user in node.users if user.target is operator.getitem]
    return frozenset(picked) if len(picked) == len(node.users) else frozenset(range(count))


def _extent(size: Any) -> int | None:
    """The size of an axis, None where it is open. One that `dynamic_shapes` opened may be fixed by the program."""
    if isinstance(size, int):
        return size
    return int(size.node.expr) if size.node.expr.is_Integer else None


def _info(value: Any) -> Info:
    """What torch knows of the type of a value."""
    if value is None:
        return None
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return TensorInfo(dtype_name(value.dtype), tuple(map(_extent, value.shape)))
    return "number"


def _place(node: Any) -> str:
    """The path of the module that a node belongs to, and the line of the program: `blocks.0.conv (net.py:31)`."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path = str(stack[-1][0]) if stack else ""
    path = path.removeprefix("L['self']").removeprefix(".")
    where = _source_line(node.meta.get("stack_trace") or "")
    name = path or node.name
    return one_line(f"{name} ({where})" if where else name).replace(", ", " ")


def _source_line(trace: str) -> str:
    """The innermost line of a stack trace that is not one of torch's own; the innermost one if all are."""
    import torch

    own, found, within = str(Path(torch.__file__).parent), "", ""
    for line in trace.splitlines():
        text = line.strip()
        if not text.startswith('File "') or '", line ' not in text:
            continue
        path, _, rest = text.removeprefix('File "').partition('", line ')
        within = f"{_SEPARATOR.split(path)[-1]}:{rest.partition(',')[0]}"
        if not path.startswith(own) and not _INSTALLED_TORCH.search(path):
            found = within
    return found or within
