"""Converters of a program for operators of PyTorch, as `from_pytorch(custom_convert_map=…)` takes them.

from_pytorch(module, infos, {"aten::relu": lambda inputs, input_types: relay.clip(inputs[0], 0.0, 1.0)})
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from s2s.errors import UnsupportedError
from s2s.frontends.builder import Value
from s2s.frontends.torch.load import LoadedModel
from s2s.frontends.torch.node import Node, Result
from s2s.frontends.torch.program import TensorInfo
from s2s.tvm.relay.expr import Expr, Tuple, Var
from s2s.tvm.relay.lowering import emitted
from s2s.tvm.relay.operators import fields_of, is_tuple

Converter = Callable[[list[Any], list[str]], Any]
"""Returns an expression, or a sequence of them, of the arguments in the order of the schema and their types."""


def operator_named(target: str) -> str:
    """`aten::relu` for the target `aten.relu.default`."""
    return "::".join(target.split(".")[:2])


class Converters:
    """Importers of the operators that a program converts; `used` are the names that were asked for."""

    def __init__(self, converters: Mapping[str, Converter]) -> None:
        self.by_name = dict(converters)
        self.used: set[str] = set()

    def __call__(self, target: str) -> Callable[[Node], Result] | None:
        """The importer of a target; None where the program has none."""
        name = operator_named(target)
        if name not in self.by_name:
            return None
        self.used.add(name)
        return lambda node: converted(node, name, self.by_name[name])

    def check_used(self, loaded: LoadedModel) -> None:
        """Refuse a converter for an operator of the network that is read as other operators."""
        targets = {operator_named(str(node.target)) for node in loaded.exported.graph.nodes}
        for name in self.by_name:
            if name in targets and name not in self.used:
                raise UnsupportedError(
                    f"from_pytorch: custom_convert_map: {name}: is read as the operators that it is made of; convert "
                    "these, or make it an operator of torch.library of your own"
                )


def converted(node: Node, name: str, converter: Converter) -> Result:
    """The values that a converter gives for a call."""
    variables: dict[int, Value] = {}

    def argument(bound: object) -> Any:
        if isinstance(bound, Value):
            variable = Var(f"input{len(variables)}", bound.type)
            variables[id(variable)] = bound
            alive.append(variable)
            return variable
        if isinstance(bound, list | tuple):
            return [argument(item) for item in cast("Sequence[object]", bound)]
        if bound is None or isinstance(bound, bool | int | float | str):
            return bound
        raise node.unsupported(f"{name}: an argument is a {type(bound).__name__}", "give it a constant value")

    alive: list[Var] = []  # alive while their identities count
    inputs = [argument(bound) for bound in node.arguments.values()]
    result = converter(inputs, [type_of(item) for item in inputs])
    roots = list(roots_of(result))
    if not all(isinstance(item, Expr) for item in roots):
        raise node.invalid(f"{name}: its converter returns {result!r}", "return an expression of relay")
    for root, info in zip(roots, node.call.results, strict=False):
        check_type(node, name, root, info)
    values = [node.builder.computed(item) for item in emitted(node.builder, roots, dict(variables))]
    return values[0] if len(values) == 1 and len(node.call.results) == 1 else values


def roots_of(result: object) -> Iterable[Any]:
    """The expressions that a converter has returned."""
    if isinstance(result, Tuple):
        return result.fields
    if isinstance(result, Expr) and is_tuple(result):
        return fields_of(result)
    return cast("Sequence[Any]", result) if isinstance(result, list | tuple) else (result,)


def check_type(node: Node, name: str, root: Expr, info: object) -> None:
    """Refuse a result of another type than torch has."""
    if not isinstance(info, TensorInfo):
        return
    shape = tuple(root.shape)
    fits = len(shape) == len(info.shape) and all(
        wanted in (None, size) for size, wanted in zip(shape, info.shape, strict=True)
    )
    if not fits or root.dtype != info.dtype:
        raise node.invalid(
            f"{name}: its converter gives {root.dtype}{list(root.shape)}, torch has {info.dtype}{list(info.shape)}",
            "return that",
        )


def type_of(shape: object) -> str:
    """The type of an argument: the element type of a tensor, else the kind of the constant."""
    return shape.dtype if isinstance(shape, Expr) else type(shape).__name__
