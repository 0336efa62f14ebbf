"""State how a network that was read with symbols for its sizes follows from them.

    %y = graph.slice %x {starts = [0, 8], sizes = [1, 1], …}         read with starts [0, N - 1]
->
    %y = graph.dynamic_slice %x {starts = [0, 8], begins = ["", "N - 1"], …}

While a network is read, types of values and constants hold symbols (`types/size.py`). Here the types become plain, and
operations that state numbers which follow from sizes take those of the run: slices, broadcasts, reshapes that are no
views, numbers taken from shapes, and tables of which a run reads the first elements.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance, provenance
from s2s.errors import EndsEarly
from s2s.frontends.size_relations import cut_by_readers
from s2s.frontends.size_reshapes import ReshapeSizes
from s2s.types.affine import at_dims
from s2s.types.dtypes import as_tensor_type, tensor_type
from s2s.types.hints import isa
from s2s.types.size import Guard, Ledger, Size, all_plain, greatest, proves
from s2s.types.sizes import DERIVED, Extents, SizeTable, extents_attribute


class NotSymbolicError(EndsEarly):
    """Raised for a network that cannot be read with symbols for its sizes: it is read at several sizes instead."""


def with_plain_types(module: ModuleOp, ledger: Ledger) -> None:
    """Note the shapes of all values in the ledger, and replace symbols in their types by the greatest sizes. No guards
    are noted from here on."""
    ledger.is_open = False
    for op in list(module.walk()):
        for result in list(op.results):
            _make_plain(result, ledger)
        for region in op.regions:
            for block in region.blocks:
                _make_arguments_plain(block, ledger)
    for op in module.ops:
        if isinstance(op, FuncOp) and not op.is_declaration:
            op.update_function_type()


def _make_arguments_plain(block: Block, ledger: Ledger) -> None:
    for argument in list(block.args):
        _make_plain(argument, ledger)


def _make_plain(value: SSAValue, ledger: Ledger) -> None:
    if not isa(value.type, TensorType):
        return
    type = as_tensor_type(value.type)
    shape = type.get_shape()
    if not all_plain(shape):
        plain = Rewriter.replace_value_with_new_type(value, tensor_type(type.element_type, tuple(greatest(shape))))
        ledger.shapes[plain] = shape


def relate_to_symbols(module: ModuleOp, ledger: Ledger) -> None:
    """Let what follows from sizes in `module`, whose sizes are marked, say so."""
    if ledger.guards:
        raise NotSymbolicError(describe(ledger, ledger.guards[0]))
    _Relations(module, ledger).run()


def describe(ledger: Ledger, guard: Guard) -> str:
    """Return what a guard says: the node, the relation, and whether it holds at the greatest sizes."""
    left, right = ledger.describe(guard.left), ledger.describe(guard.right)
    answer = "" if guard.answer else "not "
    return f"{guard.place}: is read for {answer}{left} {guard.relation} {right}, which does not hold at all sizes"


class _Relations:
    """Rewrites a network whose types are plain again."""

    def __init__(self, module: ModuleOp, ledger: Ledger) -> None:
        self.module, self.ledger = module, ledger
        self.table = SizeTable(module.attributes)
        places = list(self.table.given)
        unknown = next((name for name in ledger.names if name not in places), None)
        if unknown is not None:
            raise NotSymbolicError(f"size {unknown} is none of the network")
        self.dims: list[AffineExpr] = [AffineDimExpr(places.index(name)) for name in ledger.names]

    def run(self) -> None:
        """Rewrite each operation of `main` that states numbers which follow from sizes."""
        ops = list(main_of(self.module).body.block.ops)
        elsewhere = next((op for op in self.ledger.stated if op not in ops and op.parent is not None), None)
        if elsewhere is not None:
            raise NotSymbolicError(f"{', '.join(provenance(elsewhere))}: takes sizes inside of another network")
        varying = set(self.ledger.shapes)
        for op in ops:
            match op:
                case graph.SliceOp():
                    self._slice(op)
                case graph.BroadcastToOp():
                    self._broadcast(op)
                case graph.SizeValuesOp():
                    op.properties["names"] = extents_attribute(self._names(self.ledger.stated[op]["values"]))
                case graph.ConstantOp() | graph.WeightOp() if op.y in self.ledger.shapes:
                    cut = cut_by_readers(op, self._names(self.ledger.shapes[op.y]), varying)
                    if cut is not None:
                        self.ledger.shapes[cut] = self.ledger.shapes[op.y]
                case _:
                    pass
        shapes = {value: self._names(shape) for value, shape in self.ledger.shapes.items()}
        if self.table.derived:
            self.module.attributes[DERIVED] = self.table.attribute
        _StatedReshapes(self.module, shapes).run()

    def _names(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """Return the names of sizes among numbers, empty for plain ones."""
        return tuple(
            self.table.name_of(at_dims(number.expr, self.dims)) if isinstance(number, Size) else ""
            for number in numbers
        )

    def _slice(self, op: graph.SliceOp) -> None:
        stated = self.ledger.stated.get(op)
        if stated is None:
            return
        starts: Sequence[int] = stated.get("starts", op.starts.get_values())
        sizes: Sequence[int] = stated.get("sizes", op.sizes.get_values())
        strides = op.strides.get_values()
        whole = self.ledger.shapes.get(op.x, shape_of(op.x))
        parts = zip(whole, starts, sizes, strides, strict=True)
        if all(
            not isinstance(start, Size) and _ends(whole, start, size, stride) for whole, start, size, stride in parts
        ):
            return
        self._replace(op, op.x, greatest(starts), strides, self._names(starts), self._names(sizes))

    def _broadcast(self, op: graph.BroadcastToOp) -> None:
        shape, own = shape_of(op.y), shape_of(op.x)
        names = self._names(self.ledger.shapes.get(op.y, shape))
        aligned = (1,) * (len(shape) - len(own)) + own
        repeated = [size == 1 and wanted > 1 for size, wanted in zip(aligned, shape, strict=True)]
        if not any(name for name, new in zip(names, repeated, strict=True) if new):
            return
        x = op.x
        if len(aligned) > len(own):
            made = graph.ReshapeOp(x, aligned)
            copy_provenance(made, op)
            Rewriter.insert_op(made, InsertPoint.before(op))
            x = made.y
            self.ledger.shapes |= {x: (1,) * (len(shape) - len(own)) + tuple(self.ledger.shapes.get(op.x, own))}
        strides, zeros = [int(not new) for new in repeated], [0] * len(shape)
        self._replace(op, x, zeros, strides, ("",) * len(shape), names)

    def _replace(
        self,
        op: graph.SliceOp | graph.BroadcastToOp,
        x: SSAValue,
        starts: Sequence[int],
        strides: Sequence[int],
        begins: Extents,
        extents: Extents,
    ) -> None:
        sizes = shape_of(op.y)
        made = graph.DynamicSliceOp(x, starts=starts, sizes=sizes, strides=strides, begins=begins, extents=extents)
        copy_provenance(made, op)
        made.y.name_hint = op.y.name_hint
        if op.y in self.ledger.shapes:
            self.ledger.shapes[made.y] = self.ledger.shapes.pop(op.y)
        Rewriter.replace_op(op, made)


def _ends(whole: int, start: int, count: int, stride: int) -> bool:
    """Whether a part of an axis is constant, or goes up to its end in every run."""
    if not isinstance(count, Size):
        return True
    return stride > 0 and proves((whole - start + stride - 1) // stride, "==", count) is True


class _StatedReshapes(ReshapeSizes):
    """Replaces reshapes that are no views, and compares the extents of all values with the extents that were read."""

    def __init__(self, module: ModuleOp, shapes: Mapping[SSAValue, Extents]) -> None:
        super().__init__(module, {op: () for op in module.walk() if isinstance(op, graph.ReshapeOp)})
        self.stated = shapes

    def run(self) -> None:
        """Rewrite the reshapes."""
        super(ReshapeSizes, self).run()

    def of_operation(self, op: Operation) -> None:
        """Derive the extents of the results of an operation, which have to equal the extents that were read."""
        results = [(number, self.stated.get(result)) for number, result in enumerate(op.results)]
        super().of_operation(op)
        if op.parent is None or isinstance(op, ReturnOp):
            return
        for number, stated in results:
            found = self.extents.get(op.results[number], ())
            if found != (stated or ("",) * len(found)) and not isinstance(op, graph.ConstantOp | graph.WeightOp):
                raise NotSymbolicError(f"{', '.join(provenance(op))}: has the extents {found}, was read with {stated}")

    def _merged(self, op: graph.ReshapeOp) -> Extents | None:
        return self.stated.get(op.y)
