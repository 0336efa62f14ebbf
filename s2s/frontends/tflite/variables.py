"""The state of a network: variable tensors, and resource variables under their names.

`main` gets an argument and a result for each, tied together. A network that it runs gets those that are used inside
of it as arguments, and gives them back as results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from s2s.analysis.network.functions import INIT, NAME, STATE
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.tflite.records import ModelInfo, OperatorInfo, Subgraph, TensorInfo
from s2s.types.dtypes import AnyTensor, Array, from_numpy, tensor_type

Key = tuple[str, ...]
"""Names a variable: by its container and name, or by sub-graph and tensor."""


@dataclass
class Variable:
    """One variable of the network."""

    name: str
    type: AnyTensor
    initial: Array | None
    """Its value before the first run; zeros without one."""


@dataclass
class Variables:
    """All variables of a model, and their current values for each builder at work."""

    main: Builder
    known: dict[Key, Variable] = field(default_factory=dict[Key, Variable])
    held: dict[Builder, dict[Key, Value]] = field(default_factory=dict[Builder, dict[Key, Value]])

    def read(self, builder: Builder, key: Key, name: str, info: TensorInfo) -> Value:
        """Return the value of a variable; declare it on first use."""
        self._declare(key, name, info)
        self._check_held(builder, key, name, info)
        return self.held[builder][key]

    def assign(self, builder: Builder, key: Key, name: str, info: TensorInfo, value: Value) -> None:
        """Set the current value of a variable."""
        self._declare(key, name, info)
        self._check_held(builder, key, name, info)
        if value.type != self.known[key].type:
            raise InputError(
                f"{info.place}: variable {name!r} is {self.known[key].type}, it is given {value.type}; export the "
                "model again"
            )
        self.held[builder][key] = value

    def begin_with(self, key: Key, name: str, info: TensorInfo, value: Array) -> None:
        """Set the value of a variable before the first run."""
        self._declare(key, name, info)
        self.known[key].initial = value if value.any() else None

    def _check_held(self, builder: Builder, key: Key, name: str, info: TensorInfo) -> None:
        if key not in self.held[builder]:
            raise UnsupportedError(
                f"{info.place}: variable {name!r} is used by a handle that only comes in from outside; "
                "read it before, in the main graph"
            )

    def _declare(self, key: Key, name: str, info: TensorInfo) -> None:
        """Register a variable of the type of `info`, which `main` takes and returns."""
        type = tensor_type(from_numpy(info.dtype), info.shape)
        if key not in self.known:
            block = self.main.block
            self.known[key] = Variable(name, type, _reset_value(info))
            argument = block.insert_arg(type, len(block.args))
            self.held.setdefault(self.main, {})[key] = self.main.computed(argument, name)
        if self.known[key].type != type:
            raise InputError(f"{info.place}: variable {name!r} is {self.known[key].type} elsewhere; fix the model")

    def arguments(self) -> list[DictionaryAttr]:
        """The attributes of the arguments of `main` that stand for variables."""
        found: list[DictionaryAttr] = []
        for variable in self.known.values():
            attributes: dict[str, Attribute] = {NAME: StringAttr(variable.name), STATE: UnitAttr()}
            if variable.initial is not None:
                stored = self.main.weights.add(f"{variable.name}/initial", variable.initial)
                attributes[INIT] = StringAttr(stored)
            found.append(DictionaryAttr(attributes))
        return found

    def results(self) -> list[Value]:
        """Return the values of the variables after a run, in the order of the arguments."""
        return [self.held[self.main][key] for key in self.known]


def _reset_value(info: TensorInfo) -> Array | None:
    """8-bit variables begin with the number that stands for zero."""
    if info.dtype != np.int8 or info.quant is None or not info.quant.zero_point[0]:
        return None
    return np.full(info.shape, info.quant.zero_point[0], np.int8)


def tensor_key(info: TensorInfo) -> Key:
    """The key of a variable tensor."""
    return "tensor", str(info.subgraph), str(info.index)


def own_key(operator: OperatorInfo, name: str) -> Key:
    """The key of a state that an operator keeps itself."""
    return "operator", str(operator.subgraph), str(operator.index), name


def resource_key(options: Any) -> tuple[Key, str]:
    """The key of a resource variable, and its name."""
    container, name = (bytes(part or b"").decode("utf-8", "replace") for part in _names(options))
    return ("resource", container, name), name or "variable"


def _names(options: Any) -> tuple[Any, Any]:
    return options.Container(), options.SharedName()


def used_by(model: ModelInfo, graphs: Sequence[Subgraph]) -> dict[Key, TensorInfo | None]:
    """The variables that graphs, and the graphs that they run, read or assign; each with a tensor of its type, if
    known."""
    found: dict[Key, TensorInfo | None] = {}
    pending, seen = list(graphs), set[int]()
    while pending:
        graph = pending.pop()
        if graph.index in seen:
            continue
        seen.add(graph.index)
        handles = _handles(graph)
        found |= {key: None for key in handles.values() if key not in found}
        for operator in graph.operators:
            for index in operator.inputs:
                if index >= 0 and graph.tensors[index].is_variable:
                    found[tensor_key(graph.tensors[index])] = graph.tensors[index]
            moved = _moved(operator)
            if moved is not None and operator.inputs[0] in handles:
                found[handles[operator.inputs[0]]] = graph.tensors[moved]
            pending += [model.subgraphs[n] for n in run_by(operator.builtin, operator.options) if _exists(model, n)]
    return found


def _handles(graph: Subgraph) -> dict[int, Key]:
    """The variables that tensors of a graph are handles of."""
    makers = [each for each in graph.operators if each.builtin == "VAR_HANDLE" and each.options and each.outputs]
    return {operator.outputs[0]: resource_key(operator.options)[0] for operator in makers}


def _moved(operator: OperatorInfo) -> int | None:
    """The tensor that goes into or comes out of a variable."""
    match operator.builtin:
        case "READ_VARIABLE" if operator.outputs and operator.inputs:
            return operator.outputs[0]
        case "ASSIGN_VARIABLE" if len(operator.inputs) > 1:
            return operator.inputs[1]
        case _:
            return None


def run_by(builtin: str, options: Any) -> list[int]:
    """The numbers of the graphs that an operator runs."""
    match builtin:
        case "IF" if options is not None:
            return [int(options.ThenSubgraphIndex()), int(options.ElseSubgraphIndex())]
        case "WHILE" if options is not None:
            return [int(options.CondSubgraphIndex()), int(options.BodySubgraphIndex())]
        case _:
            return []


def _exists(model: ModelInfo, number: int) -> bool:
    return 0 <= number < len(model.subgraphs)
