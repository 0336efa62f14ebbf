"""One import: walks the operators of graphs, and collects what cannot be imported."""

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.limits import MAX_DEPTH, MAX_NODES
from s2s.frontends.names import one_line
from s2s.frontends.tflite import blockwise, spectrum
from s2s.frontends.tflite.checks import is_constant
from s2s.frontends.tflite.custom import custom_importer
from s2s.frontends.tflite.node import Importer, Node, Rounding, Session
from s2s.frontends.tflite.records import ModelInfo, OperatorInfo, Subgraph, TensorInfo
from s2s.frontends.tflite.schema import COMPLEX, PACKED_BITS
from s2s.frontends.tflite.table import IMPORTERS, refusal_of
from s2s.frontends.tflite.tensors import Tensor, constant_array
from s2s.frontends.tflite.versions import newest_version
from s2s.types.dtypes import from_numpy, tensor_type
from s2s.types.shapes import ShapeError
from s2s.types.size import alike

_ANY_NUMBERS = ("CAST", "EXPAND_DIMS", "RESHAPE", "SQUEEZE")
"""Operators that take complex numbers, and real ones as well."""
_MISFITS = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError, VerifyException)
"""What building an operation raises when a file combines operands that no converter combines."""


class ModelSession(Session):
    """Imports operators into `builder`; `failures` are the reasons of all that could not be imported."""

    def __init__(self, builder: Builder, model: ModelInfo, rounding: Rounding) -> None:
        super().__init__(builder, model, rounding)
        self.failures: list[str] = []
        self._constants: dict[tuple[Builder, int, int], Value] = {}
        self._running: list[int] = []
        self._operators = 0

    def run(self, graph: Subgraph, values: Sequence[Value]) -> list[Tensor]:
        """The outputs of `graph` with its inputs bound to `values`."""
        self._running.append(graph.index)
        tensors = {
            index: Tensor(value, graph.tensors[index]) for index, value in zip(graph.inputs, values, strict=True)
        }
        for operator in graph.operators:
            self._operators += 1
            if self._operators > MAX_NODES:
                raise UnsupportedError(f"{operator.place}: over {MAX_NODES} operators are imported; split the model")
            self.builder.node = operator.label
            operands = [self._operand(graph, index, tensors) for index in operator.inputs]
            for index, value in zip(operator.outputs, self._results(operator, graph, operands), strict=True):
                value.call(graph.tensors[index].name)
                tensors[index] = Tensor(value, graph.tensors[index])
        self._running.pop()
        return [self._defined(graph, index, tensors) for index in graph.outputs]

    def subgraph(self, index: int, node: Node) -> Subgraph:
        if not 0 <= index < len(self.model.subgraphs):
            raise node.invalid(f"sub-graph {index} of {len(self.model.subgraphs)}", "export the model again")
        if index in self._running:
            raise node.invalid(f"sub-graph {index} runs itself", "export the model again")
        if len(self._running) > MAX_DEPTH:
            raise node.unsupported(f"sub-graphs are nested more than {MAX_DEPTH} deep", "flatten the model")
        return self.model.subgraphs[index]

    def run_subgraph(
        self, graph: Subgraph, values: Sequence[Value], node: Node, builder: Builder | None = None
    ) -> list[Tensor]:
        declared = [graph.tensors[index] for index in graph.inputs]
        if len(declared) != len(values):
            raise node.invalid(f"{graph.place} has {len(declared)} inputs for {len(values)} values", "fix the model")
        for tensor, value in zip(declared, values, strict=True):
            if tensor.dtype != value.dtype or not (tensor.open_shape or alike(tensor.shape, value.shape)):
                raise node.invalid(
                    f"gives {value.dtype}{list(value.shape)} to {tensor.place} of {tensor.dtype}{list(tensor.shape)}",
                    "fix the model",
                )
        outer, provenance = self.builder, self.builder.node
        self.builder = builder or outer
        try:
            return self.run(graph, values)
        finally:
            self.builder = outer
            self.builder.node = provenance

    # ----------------------------------------------------------------- tensors

    def _operand(self, graph: Subgraph, index: int, tensors: dict[int, Tensor]) -> Tensor | None:
        if index < 0 or (graph.tensors[index].is_variable and index not in tensors):
            return None
        return self._defined(graph, index, tensors)

    def _defined(self, graph: Subgraph, index: int, tensors: dict[int, Tensor]) -> Tensor:
        if index not in tensors:
            info = graph.tensors[index]
            key = self.builder, graph.index, index
            if key not in self._constants:
                if not is_constant(info, self.model) and 0 not in info.shape:
                    raise InputError(f"{info.place}: has no value; export the model again")
                self._constants[key] = self.builder.constant(constant_array(info, self.model), info.name)
            return Tensor(self._constants[key], info)
        return tensors[index]

    # --------------------------------------------------------------- operators

    def _results(self, operator: OperatorInfo, graph: Subgraph, operands: list[Tensor | None]) -> Sequence[Value]:
        node = Node(operator, operands, self, graph)
        outputs = [graph.tensors[index] for index in operator.outputs]
        try:
            values = self._importer(node)(node)
        except UnsupportedError as error:
            self.failures.append(str(error))
            return [self._stand_in(tensor) for tensor in outputs]
        except ShapeError as error:
            raise InputError(f"{operator.place}: {error}; check the shapes and options of this operator") from None
        except _MISFITS as error:
            fact = f"its operands, options and results do not fit together ({one_line(str(error))})"
            raise node.invalid(fact, "export the model again") from error
        found = [values] if isinstance(values, Value) else list(values)
        if len(found) != len(outputs):
            raise node.invalid(f"gives {len(found)} results for {len(outputs)} outputs", "export the model again")
        for value, tensor in zip(found, outputs, strict=True):
            _check_result(node, value, tensor)
        return found

    def _importer(self, node: Node) -> Importer:
        _refuse_complex(node)
        blockwise.refuse_blocks(node)
        for kind in (node.output_type(position).kind for position in range(node.output_count)):
            if kind in PACKED_BITS:
                raise node.unsupported(f"its result is of {kind.lower()}", "keep activations in int8")
        if node.builtin == "CUSTOM":
            return custom_importer(node)
        importer = IMPORTERS.get(node.builtin)
        if importer is None:
            raise node.unsupported(*refusal_of(node.builtin))
        if node.info.version > newest_version(node.builtin):
            fact = f"has version {node.info.version}, and versions 1 to {newest_version(node.builtin)} are read"
            raise node.unsupported(fact, "update s2s, or convert with an older TFLite")
        return importer

    def _stand_in(self, tensor: TensorInfo) -> Value:
        shape = tuple(max(1, dim) for dim in tensor.shape)
        return self.builder.stand_in(tensor_type(from_numpy(tensor.dtype), shape))


def _check_result(node: Node, value: Value, tensor: TensorInfo) -> None:
    """The computed tensors must be as the file declares."""
    if value.dtype != tensor.dtype or not (_is_open(value, tensor) or alike(value.shape, tensor.shape)):
        raise node.invalid(
            f"computes {value.dtype}{list(value.shape)}, {tensor.place} is declared as "
            f"{tensor.dtype}{list(tensor.shape)}",
            "export the model again",
        )


def _refuse_complex(node: Node) -> None:
    """Refuse complex numbers in operators that would take their parts for numbers of their own."""
    kinds = [operand.info.kind for operand in node.operands if operand is not None]
    kinds += [node.output_type(position).kind for position in range(node.output_count)]
    if COMPLEX in kinds and node.builtin not in (*spectrum.IMPORTERS, *_ANY_NUMBERS):
        raise node.unsupported("it works on complex numbers", "keep real and imaginary parts in tensors of their own")


def _is_open(value: Value, tensor: TensorInfo) -> bool:
    """Return whether the shape of a result may be another than the file declares: of a model with other inputs, or
    where sizes depend on the data."""
    return tensor.open_shape or value.builder.computes_sizes
