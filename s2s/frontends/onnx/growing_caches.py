"""Keep caches that grow by concatenation as state of one size, of which each run reads as much as is filled.

    past_sequence_length=0..127 and sequence_length=1: a cache of 128 positions

    present = Concat <axis = 2> (past, new)                  past [1, 4, past_sequence_length, 16], new [1, 4, 1, 16]
    scores = MatMul (q, present)
->
    present = ScatterElements <axis = 2> (past, at, new)     past, present [1, 4, 128, 16]; at = total - 1
    seen = Slice (present, 0, total)                         total = Shape (attention_mask) [1]
    scores = MatMul (q, seen)

Exporters such as optimum write decoders so. The size that varies from run to run is that of another input which spans
the positions before the run and those of the run, as an attention mask does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, helper, numpy_helper

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.names import one_line
from s2s.frontends.onnx.load import LoadedModel
from s2s.frontends.onnx.open_shapes import declared_dims, terms
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.types.sizes import DimSize, SizeRange

OPSET = 11
"""The first version of ONNX with all operators that are written here."""
TOTAL = "total_sequence_length"
"""The name of the positions up to the last one of a run, if the model gives them none that is one word."""
_WAYS_OUT = {
    "If": "export the decoder without merging it, with optimum's --no-post-process, and compile the one with past",
    "Attention": "export the decoder with opset 22, which has no such operator",
}
_ROWS = 2
"""The rank of an input of tokens."""


class Cache(NamedTuple):
    """A cache that grows along an axis by the rows that a node puts behind it."""

    past: str
    present: str
    axis: int
    node: NodeProto


class Total(NamedTuple):
    """The input that spans all positions up to the last one of a run, and its axis for them; what the model calls
    that."""

    input: str
    axis: int
    name: str


def grown_states(model: ModelProto) -> tuple[dict[str, str], list[str]]:
    """Return the inputs that an output has one behind the other with something new, each with that output, and the
    names of the dimensions by which they grow."""
    inputs, outputs = {value.name: declared_dims(value) for value in model.graph.input}, model.graph.output
    makers = {name: node for node in model.graph.node for name in node.output}
    every = {
        makers[each.name].input[0]: each.name for each in outputs if each.name in makers and makers[each.name].input
    }
    states = {name: output for name, output in every.items() if name in inputs}
    caches = growing_caches(model, states)
    names = [dim for each in caches if isinstance(dim := inputs[each.past][each.axis], str)]
    return {each.past: each.present for each in caches}, list(dict.fromkeys(names))


def growing_caches(model: ModelProto, states: Mapping[str, str]) -> list[Cache]:
    """Return the states whose next value is a concatenation of the state and something else."""
    makers = {name: node for node in model.graph.node for name in node.output}
    ranks = {value.name: len(declared_dims(value)) for value in model.graph.input}
    found = list[Cache]()
    for past, present in states.items():
        node = makers.get(present)
        if node is None or node.op_type != "Concat" or node.domain or list(node.input[:1]) != [past]:
            continue
        if len(node.input) == 2 and past in ranks:
            axis = next(each.i for each in node.attribute if each.name == "axis")
            found.append(Cache(past, present, axis % max(ranks[past], 1), node))
    return found


def check_growth(model: ModelProto, states: Mapping[str, str]) -> None:
    """Refuse states that grow from run to run where no concatenation of the graph itself makes them longer."""
    known = {each.past for each in growing_caches(model, states)}
    makers = {name: node for node in model.graph.node for name in node.output}
    declared = {value.name: declared_dims(value) for value in (*model.graph.input, *model.graph.output)}
    for past, present in states.items():
        node, dims = makers.get(present), (declared.get(past, []), declared.get(present, []))
        if past in known or node is None or not (_lengthens(node, past, present) or _is_declared_longer(*dims)):
            continue
        way_out = _WAYS_OUT.get(node.op_type, "let Concat(past, new) be the output")
        raise UnsupportedError(
            f"--state {one_line(past)}={one_line(present)}: the cache grows from run to run, in the operator "
            f"{one_line(node.op_type)}; only a Concat of the graph itself is kept as state; {way_out}"
        )


def _lengthens(node: NodeProto, past: str, present: str) -> bool:
    """Whether an operator puts rows behind a cache: an Attention, or a branch with such a Concat."""
    if node.op_type == "Attention" and not node.domain:
        return past in node.input[4:6]
    place = list(node.output).index(present)
    branches = [attribute.g for attribute in node.attribute if attribute.HasField("g")] if node.op_type == "If" else []
    ends = [(branch, branch.output[place].name) for branch in branches]
    return any(
        each.op_type == "Concat" and past in each.input and end in each.output
        for branch, end in ends
        for each in branch.node
    )


def _is_declared_longer(before: Sequence[int | str], after: Sequence[int | str]) -> bool:
    """Whether an axis is called a sum of itself before the run and something else."""
    if len(before) != len(after):
        return False
    return any(old != new and old in terms(str(new)) for old, new in zip(before, after, strict=True) if old != "?")


def bounded(loaded: LoadedModel, caches: Sequence[Cache], options: CompileOptions) -> tuple[ModelProto, CompileOptions]:
    """Return the model with `caches` of one size, and options in which the size of a run is the size of its input."""
    model = ModelProto()
    model.CopyFrom(loaded.proto)
    if loaded.opsets().get("", 1) < OPSET:
        raise UnsupportedError(
            f"--state {caches[0].past}: opset {OPSET} is needed; convert with onnx.version_converter"
        )
    bound = _Bound.of(model, caches, options)
    _Writer(model, caches, bound).write()
    dims = {name: size for name, size in options.dims.items() if name != bound.past}
    dims[bound.total_name] = SizeRange(bound.least + bound.rows, bound.room)
    return model, replace(options, dims=dims)


class _Bound(NamedTuple):
    """How far caches grow: the name of their axis, the least number of positions before a run, and the most after it;
    how many a run adds."""

    past: str
    least: int
    room: int
    rows: int
    total: Total

    @property
    def total_name(self) -> str:
        """The name of the size that varies from run to run."""
        return self.total.name if self.total.name.isidentifier() else TOTAL

    @classmethod
    def of(cls, model: ModelProto, caches: Sequence[Cache], options: CompileOptions) -> "_Bound":
        """Read from the options how far `caches` grow."""
        declared = {value.name: declared_dims(value) for value in (*model.graph.input, *model.graph.output)}
        names = {each.past: declared[each.past][each.axis] for each in caches}
        first = caches[0]
        option, name = f"--state {one_line(first.past)}={one_line(first.present)}", names[first.past]
        if len(set(names.values())) > 1 or not isinstance(name, str) or name == "?":
            text = ", ".join(f"{past} by {size}" for past, size in names.items())
            raise UnsupportedError(f"{option}: caches grow by one dimension with a name; here {text}; export it so")
        size = options.dims.get(name)
        if not isinstance(size, SizeRange) or size.step > 1:
            raise InputError(
                f"{option}: the cache grows, along {one_line(name)}; say how many positions it holds before a run, "
                f"--dim {one_line(name)}=0..127"
            )
        total = _total(declared, name, caches, options.states)
        if total is None:
            raise UnsupportedError(
                f"{option}: no input spans the positions of the cache and those of the run, as attention_mask of "
                f"optimum's exports does, [batch_size, {one_line(name)} + sequence_length]; export the model with one"
            )
        rows = _rows(declared, total, name, options)
        if rows is None:
            raise InputError(
                f"{option}: the number of tokens of a run is not constant; give the dimension a size, as in --dim "
                f"sequence_length=1, and more tokens a second network, --prefill sequence_length=16"
            )
        return cls(name, size.least, size.most + 1, rows, total)


def _total(
    declared: Mapping[str, Sequence[int | str]], past: str, caches: Sequence[Cache], states: Mapping[str, str]
) -> Total | None:
    """Return the input whose axis has the name of the caches' axis after a run, or a sum with the name before it."""
    grown = {declared[each.present][each.axis] for each in caches if len(declared[each.present]) > each.axis}
    tied = {*states, *states.values()}
    every = [(name, axis, dim) for name, dims in declared.items() if name not in tied for axis, dim in enumerate(dims)]
    for name, axis, dim in every:
        if isinstance(dim, str) and dim not in ("?", past) and (dim in grown or past in terms(dim)):
            return Total(name, axis, dim)
    return None


def _rows(declared: Mapping[str, Sequence[int | str]], total: Total, past: str, options: CompileOptions) -> int | None:
    """Return how many positions a run adds: the other term of the sum, else the columns of an input of tokens."""
    others = [term for term in terms(total.name) if term != past]
    if past in terms(total.name) and len(others) == 1:
        return _size(others[0], options.dims)
    inputs = [(name, dims) for name, dims in declared.items() if name not in {total.input, *options.states}]
    tokens = [dims[1] for _, dims in inputs if len(dims) == _ROWS]
    return _size(tokens[0], options.dims) if tokens else None


def _size(dim: int | str, dims: Mapping[str, DimSize]) -> int | None:
    """Return the constant size of a dimension; None if it has none."""
    if isinstance(dim, int) or dim.isdecimal():
        return int(dim)
    size = dims.get(dim)
    return size if isinstance(size, int) else None


class _Writer:
    """Rewrites the graph of a model."""

    def __init__(self, model: ModelProto, caches: Sequence[Cache], bound: _Bound) -> None:
        self.graph, self.bound = model.graph, bound
        self.caches = {each.present: each for each in caches}
        self.taken = {name for node in _every_node(model.graph) for name in (*node.input, *node.output)}
        self.nodes = list[NodeProto]()

    def write(self) -> None:
        """Change what is declared, then the nodes."""
        graph, old = self.graph, list(self.graph.node)
        self._declare()
        total, first = self._positions()
        renamed = {each.present: self._name(f"{each.present}_seen") for each in self.caches.values()}
        read = {name for node in _every_node(graph) if node.op_type != "Concat" for name in node.input}
        for each in self.caches.values():
            if each.past in read:
                renamed[each.past] = self._slice(each.past, first, each.axis, self._name(f"{each.past}_filled"))
        for node in old:
            cache = self.caches.get(node.output[0]) if node.output else None
            if cache is not None:
                self._put(cache, renamed[cache.present], total, first)
            else:
                _rename(node, renamed)
                self.nodes.append(node)
        del graph.node[:]
        graph.node.extend(self.nodes)

    def _declare(self) -> None:
        """Give the caches their size, and the size that varies a name that is one word."""
        axes = {name: each.axis for each in self.caches.values() for name in (each.past, each.present)}
        for value in (*self.graph.input, *self.graph.output):
            dims = value.type.tensor_type.shape.dim
            for axis, dim in enumerate(dims):
                if axes.get(value.name) == axis:
                    dim.dim_value = self.bound.room
                elif dim.dim_param == self.bound.total.name:
                    dim.dim_param = self.bound.total_name
        del self.graph.value_info[:]

    def _positions(self) -> tuple[str, str]:
        """Write the number of positions up to the last one of a run, and the number before the run, as tensors of one
        element."""
        shape = self._node("Shape", self.bound.total.input)
        total = self._node("Gather", shape, self._constant("axis", np.array([self.bound.total.axis])), axis=0)
        return total, self._node("Sub", total, self._constant("rows", np.array([self.bound.rows])))

    def _put(self, cache: Cache, seen: str, total: str, first: str) -> None:
        """Write the rows of a run behind the earlier rows, and the part of the cache that is then read."""
        rank = len(declared_dims(next(each for each in self.graph.input if each.name == cache.past)))
        new = cache.node.input[1]
        shape = self._node("Shape", new)
        count = self._node("Gather", shape, self._constant("axis", np.array(cache.axis)), axis=0)
        numbers = self._node("Range", self._constant("zero", np.array(0)), count, self._constant("one", np.array(1)))
        column = self._constant("column", np.array([-1 if axis == cache.axis else 1 for axis in range(rank)]))
        at = self._node("Expand", self._node("Reshape", self._node("Add", numbers, first), column), shape)
        put = helper.make_node(
            "ScatterElements", [cache.past, at, new], [cache.present], cache.node.name, axis=cache.axis
        )
        self.nodes.append(put)
        self._slice(cache.present, total, cache.axis, seen)

    def _slice(self, x: str, end: str, axis: int, output: str) -> str:
        """Write the first elements of `x` along an axis."""
        start, axes = self._constant("start", np.array([0])), self._constant("axes", np.array([axis]))
        self.nodes.append(helper.make_node("Slice", [x, start, end, axes], [output], output))
        return output

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = self._name(f"{self.bound.total_name}_{operator.lower()}")
        self.nodes.append(helper.make_node(operator, inputs, [output], output, **attributes))
        return output

    def _constant(self, name: str, value: Array) -> str:
        given = self._name(f"{self.bound.total_name}_{name}")
        self.graph.initializer.append(numpy_helper.from_array(value.astype(np.int64), given))
        return given

    def _name(self, wish: str) -> str:
        """Return a name like `wish` that nothing has."""
        name, number = wish, 1
        while name in self.taken:
            name, number = f"{wish}_{number}", number + 1
        self.taken.add(name)
        return name


def _every_node(graph: GraphProto) -> Iterator[NodeProto]:
    """Yield the nodes of a graph and of the graphs within."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _every_node(inner)


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    """Let a node, and the nodes of its bodies, read other values."""
    inner = [graph for attribute in node.attribute for graph in (attribute.g, *attribute.graphs)]
    for each in (node, *(found for graph in inner for found in _every_node(graph))):
        for number, name in enumerate(each.input):
            each.input[number] = names.get(name, name)
