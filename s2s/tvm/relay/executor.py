"""`relay.create_executor`: expressions as functions of arrays, compiled when they are called."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from s2s.errors import InputError
from s2s.executor.device import check_device
from s2s.executor.ndarray import NDArray
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.factory import build
from s2s.tvm.relay.function import Function, bind, unique_names
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.specialise import is_open, specialised
from s2s.tvm.relay.ty import TupleType, Type
from s2s.tvm.runtime import nd
from s2s.tvm.runtime.container import ADT, tuple_object

Evaluated = NDArray | ADT
"""An array, or for a tuple one for each field, which may be tuples."""


class Executor:
    """Makes functions of arrays of expressions, or of the `main` of a module."""

    def __init__(self, kind: str, mod: IRModule | None, device: object, target: object) -> None:
        check_device(device)
        self.kind, self.mod, self.target = kind, mod, target

    def evaluate(
        self, expr: Expr | Function | None = None, binds: Mapping[Expr, Expr | npt.ArrayLike] | None = None
    ) -> "Evaluated | Callable[..., Evaluated]":
        """Return the function of an expression, or its value where it has no variables."""
        if expr is None and self.mod is None:
            raise InputError("evaluate: there is no module; give an expression")
        if binds and expr is None:
            raise InputError("evaluate: binds without an expression belong to nothing; give one")
        if expr is not None and binds:
            expr = bind(expr, [(var, _constant(value)) for var, value in binds.items()])
        network = expr if expr is not None else self._main()
        kind = _type_of(network)
        names = unique_names(network.params) if isinstance(network, Function) else []

        def function(*arguments: npt.ArrayLike, **named: npt.ArrayLike) -> Evaluated:
            return self._run(network, names, kind, arguments, named)

        return function() if isinstance(expr, Expr) and not isinstance(expr, Function) else function

    def _main(self) -> Function | IRModule | None:
        """The function `main` where its sizes are variables, else the module."""
        main = self.mod["main"] if self.mod is not None and self.mod.is_written and "main" in self.mod else None
        return main if main is not None and is_open(main) else self.mod

    def _run(
        self,
        network: object,
        names: list[str],
        kind: Type | None,
        arguments: tuple[npt.ArrayLike, ...],
        named: Mapping[str, npt.ArrayLike],
    ) -> Evaluated:
        values = _values(names, arguments, named) if names else {}
        if isinstance(network, Function) and is_open(network):
            network = specialised(network, [np.shape(values[name]) for name in names])
        library: Any = build(network, target=self.target)  # pyright: ignore[reportArgumentType]
        module = GraphModule(library[library.name](None))
        ports = names or [each.name for each in module.module.inputs if not each.is_parameter]
        values = values or _values(ports, arguments, named)
        for name, value in values.items():
            if (place := module.get_input_index(name)) >= 0:
                wanted = module.module.inputs[place]
                module.set_input(name, np.asarray(value).astype(wanted.dtype, copy=False))
            elif name not in ports:
                raise InputError(f"evaluate: the function has no argument {name}; it takes {', '.join(ports)}")
        module.run()
        results = [nd.array(module.get_output(at)) for at in range(module.get_num_outputs())]
        if kind is None:
            return tuple_object(results) if len(results) != 1 else results[0]
        return _as_type(kind, iter(results))


def _type_of(network: object) -> Type | None:
    """The type of what a network computes; None of one that was imported."""
    if isinstance(network, IRModule):
        network = network["main"] if network.is_written and "main" in network else None
    body = getattr(network, "body", network)
    return body.checked_type if isinstance(body, Expr) else None


def _as_type(kind: Type, results: Iterator[NDArray]) -> Evaluated:
    """The next results as a value of a type: tuples in tuples as the expression has them."""
    if isinstance(kind, TupleType):
        return tuple_object(_as_type(field, results) for field in kind.fields)
    return next(results)


def _values(
    ports: list[str], arguments: tuple[npt.ArrayLike, ...], named: Mapping[str, npt.ArrayLike]
) -> dict[str, npt.ArrayLike]:
    """The values of all parameters by name."""
    if len(arguments) > len(ports):
        raise InputError(f"evaluate: {len(arguments)} arguments are given; the function takes {', '.join(ports)}")
    values = {**dict(zip(ports, arguments, strict=False)), **named}
    if lacking := [name for name in ports if name not in values]:
        raise InputError(f"evaluate: {', '.join(lacking)} is not given; the function takes {', '.join(ports)}")
    return values


def _constant(value: Expr | npt.ArrayLike) -> Expr:
    return value if isinstance(value, Expr) else const(np.asarray(value))


def create_executor(
    kind: str = "debug",
    mod: IRModule | None = None,
    device: object = None,
    target: object = "llvm",
    params: Mapping[str, npt.ArrayLike] | None = None,
) -> Executor:
    """Return what evaluates expressions; `debug`, `graph`, `vm` and `aot` are all one compiled function here."""
    if kind not in ("debug", "graph", "vm", "aot"):
        raise InputError(f"relay.create_executor({kind!r}): is not known; give 'debug', 'graph', 'vm' or 'aot'")
    if params and mod is None:
        raise InputError("relay.create_executor: params without a module belong to nothing; give mod")
    if params and mod is not None:
        from s2s.tvm.relay.module import bind_params_by_name

        mod = bind_params_by_name(mod, {name: np.asarray(value) for name, value in params.items()})
    return Executor(kind, mod, device, target)
