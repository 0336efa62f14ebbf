"""One import: walks the nodes of graphs, bodies and functions, and collects what cannot be imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto

from s2s.errors import InputError, S2SError, UnknownValueError, UnsupportedError
from s2s.frontends.builder import Builder, SizeInsideError, Value
from s2s.frontends.draws import Draws
from s2s.frontends.limits import MAX_BODIES, MAX_NODES, MIN_OPSET
from s2s.frontends.names import one_line
from s2s.frontends.onnx.bodies import SessionBodies
from s2s.frontends.onnx.custom import Declared, custom_importer
from s2s.frontends.onnx.declared_shapes import derived_operands
from s2s.frontends.onnx.names import canonical_domain, label, operator, place
from s2s.frontends.onnx.narrow import with_kind_of
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.schema_functions import function_body, has_function_body, infer_outputs
from s2s.frontends.onnx.scope import FAILED, Binding, Failed, Scope
from s2s.frontends.onnx.signature import Signature, check_node, check_types
from s2s.frontends.onnx.structure import FunctionKey, check_function, free_names, function_key
from s2s.frontends.onnx.table import CONVERTING, READING, REFUSALS, declaration, importer_of
from s2s.frontends.onnx.tensors import read_sparse, read_tensor
from s2s.types.dtypes import Array
from s2s.types.shapes import ShapeError

Attributes = Mapping[str, AttributeProto]

_RUNNING = ("If", "Loop", "Scan")
"""Operators that run bodies as networks of their own."""


class _ReportedError(UnsupportedError):
    """The reason is already among the failures."""


def _as_their_inputs(
    node: NodeProto, declared: Signature, operands: Sequence[Value | None], outputs: Sequence[Value]
) -> Sequence[Value]:
    """`outputs` of an operator that moves elements: outputs of the type of a narrow operand are narrow, too, and so are
    texts."""
    found = {
        declared.parameter(position).variable: operand
        for position, operand in enumerate(operands)
        if operand is not None and (operand.narrow is not None or operand.texts is not None)
    }
    if not found or node.op_type in _RUNNING:
        return outputs
    if not declared.outputs:
        operand = next(iter(found.values()))
        raise UnsupportedError(f"{place(node)}: an operand is {operand.model_dtype}; convert it before")
    kinds = [declared.outputs[min(at, len(declared.outputs) - 1)] for at in range(len(outputs))]
    return [with_kind_of(value, found.get(kind)) for value, kind in zip(outputs, kinds, strict=True)]


def _has_changed(op_type: str, opset: int) -> bool:
    """Whether an operator means something else in the first opset that is read whole."""
    old, new = declaration("", op_type, opset), declaration("", op_type, MIN_OPSET)
    return old is None or new is None or old.since != new.since


class Session:
    """Imports nodes into `builder`; `failures` are the reasons of all nodes that could not be imported."""

    def __init__(
        self,
        builder: Builder,
        functions: Mapping[FunctionKey, FunctionProto],
        folder: str | None,
        declared: Declared,
        run_number: Callable[[], Value],
    ) -> None:
        self.builder = builder
        self._draws = Draws(lambda: self.builder, builder, run_number)
        self.failures: list[UnsupportedError] = []
        self._functions = functions
        self._folder = folder
        self._declared = declared
        self._nodes = 0
        self._bodies = 0

    def define_initializers(self, graph: GraphProto, scope: Scope) -> None:
        """Bind the constants of `graph`."""
        for tensor in graph.initializer:
            if tensor.data_type == TensorProto.STRING:
                from s2s.frontends.onnx.texts import read_texts, text_constant

                texts = read_texts(tensor, f"initializer {one_line(tensor.name)}")
                scope.define(tensor.name, text_constant(self.builder, texts, tensor.name))
                continue
            self._define_constant(scope, tensor.name, partial(read_tensor, tensor, self._folder))
        for sparse in graph.sparse_initializer:
            self._define_constant(scope, sparse.values.name, partial(read_sparse, sparse, self._folder))

    def _define_constant(self, scope: Scope, name: str, read: Callable[[str], Array]) -> None:
        try:
            scope.define(name, self.builder.constant(read(f"initializer {one_line(name)}"), name))
        except UnsupportedError as error:
            self.failures.append(error)
            scope.define(name, FAILED)

    def run_nodes(self, nodes: Iterable[NodeProto], scope: Scope) -> None:
        """Import `nodes` in order; outputs are bound in `scope`."""
        for node in nodes:
            self._nodes += 1
            if self._nodes > MAX_NODES:
                raise UnsupportedError(f"{place(node)}: the model unrolls to over {MAX_NODES} nodes; shorten its loops")
            self.builder.node = scope.node or scope.caller + label(node)
            try:
                outputs = self._run_node(node, scope)
            except ShapeError as error:
                text = f"{place(node)}: {error}; check the shapes and attributes of this node"
                raise self._misfit(text) from None
            except InputError as error:
                if not self.builder.computes_sizes:
                    raise
                raise self._misfit(str(error)) from error
            for name, value in zip(node.output, outputs, strict=False):
                if isinstance(value, Value):
                    value.call(name)
                scope.define(name, value)

    def _misfit(self, text: str) -> S2SError:
        """The error of a node that does not fit its operands. Sizes that a run computes have their bounds here, and a
        node that does not fit these may be right."""
        if not self.builder.computes_sizes:
            return InputError(text)
        return UnsupportedError(
            f"{text}: the bound of a size that a run computes is taken here; give the node no such size"
        )

    def _run_node(self, node: NodeProto, scope: Scope) -> Sequence[Binding]:
        attributes = scope.resolve(node)
        operands = [scope.lookup(name) for name in node.input]
        domain = canonical_domain(node.domain)
        opset = scope.opsets.get(domain, 0)
        custom = custom_importer(domain, node.op_type, opset or 1, self._declared)
        if custom is not None:
            return self._run_custom(node, custom, opset or 1, attributes, operands, scope)
        function = self._functions.get(function_key(node))
        if function is not None:
            caller = f"{scope.caller}{label(node)}/"
            return self._call(node, function, operands, attributes, caller, scope.node)
        declared = declaration(domain, node.op_type, opset) if opset else None
        if declared is None:
            self.failures.append(UnsupportedError(_unknown(node, domain, opset)))
            return [FAILED] * len(node.output)
        check_node(node, declared, attributes)
        refusal = self._refusal(node, domain, opset)
        if refusal is not None:
            self.failures.append(UnsupportedError(refusal))
        if any(isinstance(operand, Failed) for operand in operands):
            return [FAILED] * len(node.output)
        check_types(
            node, declared, [operand.model_dtype if isinstance(operand, Value) else None for operand in operands]
        )
        if refusal is None:
            try:
                return self._run_operator(node, declared, {**declared.defaults, **attributes}, operands, scope)
            except UnsupportedError as error:
                self._collect(error)
        types = infer_outputs(node, domain, opset, operands)
        return [FAILED if type is None else self.builder.stand_in(type) for type in types]

    def _collect(self, error: UnsupportedError) -> None:
        """Keep the reason of a node that cannot be imported, unless a branch around it may be imported in place."""
        if isinstance(error, SizeInsideError) and self.builder.is_inner:
            raise error
        if not isinstance(error, _ReportedError):
            self.failures.append(error)

    def _refusal(self, node: NodeProto, domain: str, opset: int) -> str | None:
        """Why the operator of `node` cannot be imported at all; None when it can."""
        key = domain, node.op_type
        if not domain and opset < MIN_OPSET and _has_changed(node.op_type, opset):
            return (
                f"{place(node)}: opset {opset} is read only for operators that have not changed until {MIN_OPSET}; "
                "export with a later opset, or convert with onnx.version_converter"
            )
        if importer_of(*key) is not None or (key not in REFUSALS and has_function_body(domain, node.op_type, opset)):
            return None
        fact, way_out = REFUSALS.get(key, ("this operator is not supported yet", "replace it by other operators"))
        return f"{place(node)}: {fact}; {way_out}"

    def _run_operator(
        self, node: NodeProto, declared: Signature, attributes: Attributes, operands: Sequence[Binding], scope: Scope
    ) -> Sequence[Binding]:
        domain = canonical_domain(node.domain)
        importer = importer_of(domain, node.op_type)
        values = [operand if isinstance(operand, Value) else None for operand in operands]
        values = derived_operands(self._node(node, declared.since, attributes, values, scope))
        if node.op_type not in READING and any(value is not None and value.texts is not None for value in values):
            from s2s.frontends.onnx.texts import alike

            values = alike(node, values)
        if importer is None:
            return self._expand(node, attributes, values, scope)
        made = self._import(importer, node, declared.since, attributes, values, scope)
        if node.op_type in CONVERTING or node.op_type in READING:
            return made
        return _as_their_inputs(node, declared, values, made)

    def _run_custom(
        self,
        node: NodeProto,
        importer: Importer,
        version: int,
        attributes: Attributes,
        operands: Sequence[Binding],
        scope: Scope,
    ) -> Sequence[Binding]:
        """The outputs of an operator that a user has registered."""
        values = [operand if isinstance(operand, Value) else None for operand in operands]
        if any(isinstance(operand, Failed) for operand in operands):
            return [FAILED] * len(node.output)
        try:
            made = self._import(importer, node, version, attributes, values, scope)
        except UnsupportedError as error:
            self._collect(error)
            return [FAILED] * len(node.output)
        wanted = sum(1 for name in node.output if name)
        if len(made) < wanted:
            raise InputError(f"{place(node)}: its importer returned {len(made)} of {wanted} outputs; return all")
        return made

    def _import(
        self,
        importer: Importer,
        node: NodeProto,
        since: int,
        attributes: Attributes,
        values: Sequence[Value | None],
        scope: Scope,
    ) -> Sequence[Value]:
        """What an importer makes of a node."""
        outputs = importer(self._node(node, since, attributes, values, scope))
        return [outputs] if isinstance(outputs, Value) else outputs

    def _node(
        self, node: NodeProto, since: int, attributes: Attributes, values: Sequence[Value | None], scope: Scope
    ) -> Node:
        """The view of `node` that an importer has."""

        def run_body(graph: GraphProto, inputs: Sequence[Value]) -> list[Value]:
            return self._run_body(graph, inputs, scope, node)

        shapes = [scope.shapes.get(name) for name in node.output]
        bodies = SessionBodies(self.run_inside, scope, node, self.failures, self.builder.functions)
        return Node(node, self.builder, since, values, attributes, self._folder, run_body, bodies, self._draws, shapes)

    def _expand(
        self, node: NodeProto, attributes: Attributes, operands: Sequence[Binding], scope: Scope
    ) -> Sequence[Binding]:
        """Import the definition of an operator by others; what fails inside is reported of the operator."""
        domain = canonical_domain(node.domain)
        function = function_body(node, domain, scope.opsets[domain], attributes, operands)
        if not function.node:
            raise UnsupportedError(f"{place(node)}: is not defined for these operands; replace it by other operators")
        try:
            wanted = zip(function.output, node.output, strict=False)
            check_function(function, [name for name, used in wanted if used])
        except InputError as error:
            raise InputError(f"{place(node)}: its operands do not fit together ({error}); fix the node") from None
        before = len(self.failures)
        outputs = self._call(node, function, operands, attributes, scope.caller, self.builder.node)
        inner = self.failures[before:]
        if inner:
            del self.failures[before:]
            raise _kind(inner)(
                f"{place(node)}: is defined by operators of which one fails ({inner[0]}); replace it by other operators"
            )
        return outputs

    def _call(
        self,
        node: NodeProto,
        function: FunctionProto,
        operands: Sequence[Binding],
        attributes: Attributes,
        caller: str,
        provenance: str | None,
    ) -> Sequence[Binding]:
        """The outputs of `function` for a call by `node`."""
        if len(operands) > len(function.input) or len(node.output) > len(function.output):
            raise InputError(
                f"{place(node)}: function {one_line(function.name)!r} takes {len(function.input)} inputs and gives "
                f"{len(function.output)} outputs; fix the call"
            )
        opsets = {canonical_domain(entry.domain): entry.version for entry in function.opset_import}
        defaults = {attribute.name: attribute for attribute in function.attribute_proto}
        scope = Scope(opsets, None, {**defaults, **attributes}, caller, provenance)
        for name, operand in zip_longest(function.input, operands):
            scope.define(name, operand)
        self.run_nodes(function.node, scope)
        wanted = zip(function.output, node.output, strict=False)  # an operator's definition may leave others out
        return [scope.lookup(name) if used else None for name, used in wanted]

    def _run_body(self, graph: GraphProto, inputs: Sequence[Value], outer: Scope, node: NodeProto) -> list[Value]:
        """The outputs of a body of `node`, with its inputs bound to `inputs`."""
        if len(inputs) != len(graph.input):
            raise InputError(f"{place(node)}: its body has {len(graph.input)} inputs for {len(inputs)} values; fix it")
        self._bodies += 1
        if self._bodies > MAX_BODIES:
            raise UnsupportedError(f"{place(node)}: unrolls to over {MAX_BODIES} steps; shorten the loop")
        scope = outer.inner()
        return self._run_body_in(scope, graph, inputs)

    def run_inside(
        self, inner: Builder, outer: Scope, graph: GraphProto, inputs: Sequence[Value], captured: Mapping[str, Value]
    ) -> list[Value]:
        """As `_run_body`, in a network of its own: `captured` stands for the values from outside that are computed."""
        scope = outer.inner()
        for name in free_names(graph):
            value = outer.lookup(name)
            if isinstance(value, Value) and value.array is not None and not value.is_symbolic:
                value = with_kind_of(inner.constant(value.array, value.name), value)
            scope.define(name, captured.get(name, value))
        self.builder, kept = inner, self.builder
        try:
            return self._run_body_in(scope, graph, inputs)
        finally:
            self.builder = kept

    def _run_body_in(self, scope: Scope, graph: GraphProto, inputs: Sequence[Value]) -> list[Value]:
        provenance = self.builder.node
        self.define_initializers(graph, scope)
        for formal, value in zip(graph.input, inputs, strict=True):
            scope.define(formal.name, value)
        self.run_nodes(graph.node, scope)
        self.builder.node = provenance
        outputs = [scope.lookup(value.name) for value in graph.output]
        values = [value for value in outputs if isinstance(value, Value)]
        if len(values) < len(outputs):
            raise _ReportedError
        return values


def failure(failures: Sequence[UnsupportedError]) -> UnsupportedError:
    """Return one error with all reasons, each on its line, where a body that was imported twice gives its reasons
    once."""
    return _kind(failures)("\n".join(dict.fromkeys(map(str, failures))))


def _kind(failures: Sequence[UnsupportedError]) -> type[UnsupportedError]:
    """Whether values are all that is missing."""
    waits = all(isinstance(each, UnknownValueError) for each in failures)
    return UnknownValueError if waits else UnsupportedError


def _unknown(node: NodeProto, domain: str, opset: int) -> str:
    """The failure of an operator that s2s has no declaration of."""
    from s2s.frontends.onnx.microsoft_refusals import refusal_of

    refusal = refusal_of(domain, node.op_type)
    if refusal is not None:
        return f"{place(node)}: {'; '.join(refusal)}"
    known = f"no operator of opset {opset} of {domain or 'ai.onnx'}" if opset else "of a domain not imported"
    way_out = "define it as a local function of the model, or replace it by standard operators"
    return f"{place(node)}: operator {operator(node)} is {known}; {way_out}"
