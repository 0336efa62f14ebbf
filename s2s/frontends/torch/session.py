"""One import: walks the calls of graphs, and collects what cannot be imported."""

from collections.abc import Callable, Mapping, Sequence

from s2s.errors import CompilerBug, InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.draws import Draws
from s2s.frontends.limits import MAX_DEPTH, MAX_NODES
from s2s.frontends.torch.complex_numbers import Complex
from s2s.frontends.torch.dtypes import numpy_dtype
from s2s.frontends.torch.node import Bound, Node, Result, place
from s2s.frontends.torch.program import Argument, Call, Graph, Ref, TensorInfo
from s2s.frontends.torch.spectrum import is_on_complex, with_real_results
from s2s.frontends.torch.table import importer_of, refusal_of
from s2s.types.dtypes import from_numpy, tensor_type
from s2s.types.shapes import ShapeError
from s2s.types.size import Size

Scope = dict[str, Bound]
Importer = Callable[[Node], Result]


class Session:
    """Imports calls into `builder`; `failures` are the reasons of all that could not be imported."""

    def __init__(
        self, builder: Builder, run_number: Callable[[], Value], own: Callable[[str], Importer | None] | None = None
    ) -> None:
        self.builder = builder
        self._own = own
        """The importer that a program has given for a target."""
        self.draws = Draws(lambda: self.builder, builder, run_number)
        self.failures: list[str] = []
        self._calls = 0
        self._depth = 0

    def run(self, graph: Graph, scope: Scope) -> None:
        """Import the calls of `graph`; their results are bound in `scope`."""
        scope |= graph.graphs
        for call in graph.calls:
            self._calls += 1
            if self._calls > MAX_NODES:
                raise UnsupportedError(f"{place(call)}: over {MAX_NODES} calls are imported; split the model")
            self.builder.node = call.place
            result = self._result(call, scope)
            if isinstance(result, Value):
                result.call(call.name)
            scope[call.name] = result

    def run_inside(self, inner: Builder, graph: Graph, inputs: Sequence[Value]) -> list[Value]:
        """The outputs of a graph that a call runs, built by `inner`."""
        if self._depth == MAX_DEPTH:
            raise UnsupportedError(f"the model: graphs run each other more than {MAX_DEPTH} deep; flatten the model")
        outer, provenance = self.builder, self.builder.node
        self.builder, self._depth = inner, self._depth + 1
        try:
            scope: Scope = dict(zip(graph.inputs, inputs, strict=True))
            self.run(graph, scope)
            return [self.tensor(output, scope, "an output of a graph that a call runs") for output in graph.outputs]
        finally:
            self.builder, self._depth = outer, self._depth - 1
            self.builder.node = provenance

    def tensor(self, argument: Argument, scope: Mapping[str, Bound], what: str) -> Value:
        """The tensor that `argument` stands for; a number becomes one of rank 0."""
        found = _bound(argument, scope)
        if isinstance(found, bool | int | float | Size):
            element = "bool" if isinstance(found, bool) else "float32" if isinstance(found, float) else "int64"
            return self.builder.scalar(found, from_numpy(numpy_dtype(element, what)))
        if isinstance(found, Complex):
            raise UnsupportedError(f"{what}: is complex; return its parts, as torch.view_as_real gives them")
        if not isinstance(found, Value):
            raise UnsupportedError(f"{what}: is no tensor; return tensors")
        return found

    def _result(self, call: Call, scope: Scope) -> Bound:
        if call.target == "operator.getitem":
            return _item(call, scope)
        arguments = {name: _bound(argument, scope) for name, argument in call.arguments.items()}
        on_complex = is_on_complex(call, arguments)
        own = None if self._own is None else self._own(call.target)
        importer = own or importer_of(call.target, on_complex=on_complex)
        try:
            if importer is None:
                fact, way_out = refusal_of(call.target, on_complex=on_complex)
                raise UnsupportedError(f"{place(call)}: {fact}; {way_out}")
            return _checked(call, importer(Node(call, self.builder, arguments, self)))
        except UnsupportedError as error:
            self.failures.append(str(error))
            return self._stand_ins(call)
        except ShapeError as error:
            raise InputError(f"{place(call)}: {error}; check the shapes and arguments of this call") from None

    def _stand_ins(self, call: Call) -> Bound:
        made = [self._stand_in(info) if isinstance(info, TensorInfo) else 1 for info in call.results]
        return made[0] if len(made) == 1 else made

    def _stand_in(self, info: TensorInfo) -> Value:
        shape = tuple(1 if size is None else max(1, size) for size in info.shape)
        try:
            return self.builder.stand_in(tensor_type(from_numpy(numpy_dtype(info.dtype, "")), shape))
        except UnsupportedError:
            return self.builder.stand_in(tensor_type(from_numpy(numpy_dtype("float32", "")), shape))


def _item(call: Call, scope: Scope) -> Bound:
    """One of several results."""
    whole, position = (_bound(call.arguments[name], scope) for name in ("0", "1"))
    if not isinstance(whole, Sequence) or not isinstance(position, int) or not -len(whole) <= position < len(whole):
        raise InputError(f"{place(call)}: result {position} does not exist; export the model again")
    return whole[position]


def _bound(argument: Argument, scope: Mapping[str, Bound]) -> Bound:
    """What an argument stands for."""
    if isinstance(argument, Ref):
        if argument.name not in scope:
            raise InputError(f"node {argument.name}: is read before it is computed; export the model again")
        return scope[argument.name]
    if isinstance(argument, Sequence) and not isinstance(argument, str):
        return [_bound(each, scope) for each in argument]
    return argument


def _checked(call: Call, result: Result) -> Bound:
    """A result of the types that torch inferred; anything else is an error of an importer."""
    parts = list(result) if isinstance(result, Sequence) and not isinstance(result, Complex) else [result]
    parts = [part.real if isinstance(part, Complex) else part for part in parts]
    for number, (info, part) in enumerate(zip(with_real_results(call).results, parts, strict=False)):
        if not isinstance(info, TensorInfo) or not isinstance(part, Value):
            continue
        fits = len(info.shape) == part.rank and all(
            size in (None, known) for size, known in zip(info.shape, part.shape, strict=True)
        )
        if not fits or numpy_dtype(info.dtype, place(call)) != part.dtype:
            raise CompilerBug(
                f"{place(call)}: result {number} became {part.dtype}{list(part.shape)}, "
                f"torch has {info.dtype}{list(info.shape)}"
            )
    return result
