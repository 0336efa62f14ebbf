"""State how a network that was read with symbols for its sizes follows from them.

    %y = graph.slice %x {starts = [0, 8], sizes = [1, 1], …}         read with starts [0, N - 1]
->
    %y = graph.dynamic_slice %x {starts = [0, 8], begins = ["", "N - 1"], …}

While a network is read, types of values and constants hold symbols (`types/size.py`). Here the types become plain, and
operations that state numbers which follow from sizes take those of the run: slices, broadcasts, reshapes that are no
views, numbers taken from shapes, and tables of which a run reads the first elements.
"""

from collections.abc import Mapping, Sequence
from math import gcd

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.network.extents import ExtentsPropagation
from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance, provenance
from s2s.errors import CompilerBug, UnsupportedError
from s2s.frontends.cut_tables import cut_by_readers
from s2s.frontends.empty_sizes import first_of_something
from s2s.frontends.same_padding import settle_padding
from s2s.types.dtypes import as_tensor_type, tensor_type
from s2s.types.hints import isa
from s2s.types.shapes.common import ShapeError
from s2s.types.size import Guard, Ledger, Size, all_plain, at_greatest, greatest, proves
from s2s.types.sizes import (
    COMPUTED,
    DERIVED,
    GAPS,
    SIZES,
    VARIES,
    Extents,
    SizeRange,
    SizeTable,
    extents_attribute,
    sizes_attribute,
)


def settle(module: ModuleOp, ledger: Ledger) -> None:
    """Make the types of `module` plain, mark the sizes of `ledger` in it, and let what follows from them say so."""
    _join_rooms(module, ledger)
    _with_plain_types(module, ledger)
    guard = next(iter(ledger.guards), None) or first_of_something(module, ledger)
    if guard is not None:
        raise UnsupportedError(describe(ledger, guard))
    _mark(module, ledger)
    _erase_unread(main_of(module).body.block)
    try:
        _Relations(module, ledger).run()
        module.verify()
    except (VerifyException, ShapeError) as error:
        if GAPS not in module.attributes:
            raise
        raise UnsupportedError(
            f"sizes: some are greatest in other runs than what is computed of them ({error}); give these a constant "
            "size with --dim"
        ) from error


def _join_rooms(module: ModuleOp, ledger: Ledger) -> None:
    """Give each concatenation the room of all its operands, which may be greatest in different runs: `N` and `N mod 4`
    take 128 + 3 positions for `N = 1..128`, though no run needs more than 130."""
    for op in module.walk():
        if isinstance(op, graph.ConcatOp) and isinstance(size := shape_of(op.y)[op.axis.value.data], Size):
            parts = [shape_of(operand)[op.axis.value.data] for operand in op.operands]
            ledger.make_room(size.expr, sum(greatest(parts)))


def _erase_unread(block: Block) -> None:
    """Erase operations of which only sizes were read, so that nothing is asked of the elements that they would have."""
    for op in reversed(list(block.ops)):
        if is_trivially_dead(op) and not isinstance(op, graph.NonzeroOp):
            op.detach()
            op.erase()


def _mark(module: ModuleOp, ledger: Ledger) -> None:
    """Note the sizes, and which axes of inputs have them."""
    module.attributes[SIZES] = sizes_attribute(dict(zip(ledger.names, ledger.ranges, strict=True)))
    computed = [name for name in ledger.found if name in ledger.names]
    if computed:
        module.attributes[COMPUTED] = extents_attribute(computed)
    if any(greatest(shape) != at_greatest(shape) for shape in ledger.shapes.values()):
        module.attributes[GAPS] = UnitAttr()
    table, main = SizeTable(module.attributes), main_of(module)
    marked: list[DictionaryAttr] = []
    for argument, attributes in zip(main.args, main.arg_attrs or (), strict=True):
        name, shape = attributes.data["name"], shape_of(argument)
        shape = ledger.port(name.data, shape) if isinstance(name, StringAttr) else shape
        marked.append(DictionaryAttr({**attributes.data, VARIES: extents_attribute(_names(table, shape))}))
    main.arg_attrs = ArrayAttr(marked)
    if table.derived:
        module.attributes[DERIVED] = table.attribute


def _names(table: SizeTable, numbers: Sequence[int]) -> Extents:
    """Return the names of sizes among numbers, empty for plain ones."""
    return tuple(table.name_of(number.expr) if isinstance(number, Size) else "" for number in numbers)


def _with_plain_types(module: ModuleOp, ledger: Ledger) -> None:
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


def describe(ledger: Ledger, guard: Guard) -> str:
    """Return what a guard says: the node, the relation, and whether it holds at the greatest sizes."""
    left, right = ledger.describe(guard.left), ledger.describe(guard.right)
    answer = "" if guard.answer else "not "
    relation = f"{answer}{left} {guard.relation} {right}"
    used = sorted((guard.left + guard.right * -1).used_dims())
    computed = [name for dim in used if (name := ledger.names[dim]) in ledger.found]
    if computed:
        failing = next(ledger.failing(guard))
        sizes = " and ".join(f"{name}={failing[name]}" for name in computed)
        first = _first_held(ledger, guard, used)
        bounded = (
            "" if first is None else f"bound it, as in --dim {computed[0]}={first}..{ledger.ranges[used[0]].most}, or "
        )
        return (
            f"{guard.place}: is read for {relation}, which does not hold where a run computes {sizes}; {bounded}let "
            "the model be right at all sizes that a run may compute"
        )
    return f"{guard.place}: is read for {relation}, which does not hold at all sizes; {way_out(ledger, guard, used)}"


def way_out(ledger: Ledger, guard: Guard, used: Sequence[int]) -> str:
    """Return for which of the `used` sizes a guard holds, as advice: from one size on, or by steps."""
    names = " and ".join(ledger.names[dim] for dim in used)
    held = ledger.holding(guard) if len(used) == 1 else None
    if held is None:
        return f"give {names} a constant size"
    first = _first_held(ledger, guard, used)
    if first is not None:
        return f"it holds from {names}={first} on, let {names} begin there"
    bounds = ledger.ranges[used[0]]
    values = np.array(bounds.values)
    step = gcd(*(bounds.most - values[held]).tolist())
    steps = values[(bounds.most - values) % step == 0] if step else values[held]
    if len(steps) > 1 and held[np.isin(values, steps)].all():
        return f"let it go by steps, as in --dim {names}={SizeRange(int(steps[0]), bounds.most, step=step)}"
    return f"give {names} a constant size"


def _first_held(ledger: Ledger, guard: Guard, used: Sequence[int]) -> int | None:
    """Return the size from which on a guard holds, None if that is the greatest, or if it has several sizes."""
    held = ledger.holding(guard) if len(used) == 1 else None
    if held is None:
        return None
    bounds = ledger.ranges[used[0]]
    first = int(np.array(bounds.values)[~held].max()) + bounds.step
    return first if first < bounds.most else None


class _Relations:
    """Rewrites a network whose types are plain again."""

    def __init__(self, module: ModuleOp, ledger: Ledger) -> None:
        self.module, self.ledger = module, ledger
        self.table = SizeTable(module.attributes)

    def run(self) -> None:
        """Rewrite each operation of `main` that states numbers which follow from sizes."""
        ops = list(main_of(self.module).body.block.ops)
        stated = (op for op in self.ledger.stated if op.parent is not None and op not in ops)
        elsewhere = next(filter(self._takes_sizes, stated), None)
        if elsewhere is not None:
            raise UnsupportedError(
                f"{', '.join(provenance(elsewhere))}: takes a size inside of a loop or a branch; compute it outside, "
                "or give it a constant size"
            )
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

    def _takes_sizes(self, op: Operation) -> bool:
        """Whether an operation of another network than `main` needs numbers of the run: no slice of whole axes does."""
        match op:
            case graph.SliceOp():
                return not self._is_constant(op)
            case graph.BroadcastToOp():
                return bool(self._repeated(op))
            case graph.ReshapeOp() | graph.TopKOp():
                return False
            case _:
                return op.parent is not None

    def _names(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return _names(self.table, numbers)

    def _slice(self, op: graph.SliceOp) -> None:
        if not self._is_constant(op):
            starts, sizes = self._part(op)
            strides = op.strides.get_values()
            self._replace(op, op.x, at_greatest(starts), strides, self._names(starts), self._names(sizes))

    def _part(self, op: graph.SliceOp) -> tuple[Sequence[int], Sequence[int]]:
        """Return where a slice starts, and how many elements it takes."""
        stated = self.ledger.stated.get(op, {})
        return stated.get("starts", op.starts.get_values()), stated.get("sizes", op.sizes.get_values())

    def _is_constant(self, op: graph.SliceOp) -> bool:
        """Whether a slice takes constant parts of axes, or all from a constant place on."""
        starts, sizes = self._part(op)
        whole = self.ledger.shapes.get(op.x, shape_of(op.x))
        return all(
            not isinstance(start, Size) and _ends(whole, start, size, stride)
            for whole, start, size, stride in zip(whole, starts, sizes, op.strides.get_values(), strict=True)
        )

    def _repeated(self, op: graph.BroadcastToOp) -> list[int]:
        """Return the axes along which a tensor is repeated as often as a size says."""
        shape = self.ledger.shapes.get(op.y, shape_of(op.y))
        before = (1,) * (len(shape) - len(shape_of(op.x))) + shape_of(op.x)
        pairs = zip(before, shape, strict=True)
        return [axis for axis, (size, wanted) in enumerate(pairs) if size == 1 and isinstance(wanted, Size)]

    def _broadcast(self, op: graph.BroadcastToOp) -> None:
        shape, own = shape_of(op.y), shape_of(op.x)
        if not self._repeated(op):
            return
        names = self._names(self.ledger.shapes.get(op.y, shape))
        aligned = (1,) * (len(shape) - len(own)) + own
        repeated = [size == 1 and wanted > 1 for size, wanted in zip(aligned, shape, strict=True)]
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


class _StatedReshapes(ExtentsPropagation):
    """Replaces reshapes that are no views, and compares the extents of all values with the extents that were read.

        %y = graph.reshape %x : (tensor<1x3x9x9xf32>) -> tensor<1x3x81xf32>      with the sizes H and W
    ->
        %y = graph.dynamic_reshape %x {shape = [1, 3, 81], extents = ["", "", "H * W"]} : …

    Tensors keep the strides that they have at the greatest sizes, so that a row of a smaller picture ends in a gap.
    """

    def __init__(self, module: ModuleOp, shapes: Mapping[SSAValue, Extents]) -> None:
        super().__init__(module)
        self.stated = shapes

    def mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        raise CompilerBug(f"{kernel.sym_name.data} is a kernel in a network that was just read")

    def of_operation(self, op: Operation) -> None:
        """Derive the extents of the results of an operation, which have to equal the extents that were read. One that
        that pads along axes of constant size is replaced."""
        results = [(number, self.stated.get(result)) for number, result in enumerate(op.results)]
        if isinstance(op, graph.SamePadOp | graph.SameAvgPoolOp | graph.MaxPoolIndicesOp):
            settled = settle_padding(op, self.extents[op.x], self.table)
            if settled is None:
                return
            op = settled
        if isinstance(op, graph.ReshapeOp):
            op = self._reshape(op)
        else:
            super().of_operation(op)
        if op.parent is None or isinstance(op, ReturnOp):
            return
        for number, stated in results:
            extents = self.extents.get(op.results[number], ())
            if extents != (stated or ("",) * len(extents)) and not isinstance(op, graph.ConstantInterface):
                names = " and ".join(filter(None, stated or extents))
                raise UnsupportedError(
                    f"{', '.join(provenance(op))}: has the size {names}, which does not follow from its operands; give "
                    "it a constant one"
                )

    def _reshape(self, op: graph.ReshapeOp) -> graph.ReshapeOp | graph.DynamicReshapeOp:
        """Derive the extents of the result of a reshape, which is replaced if it is no view, or one along another
        axis."""
        extents = self.stated.get(op.y)
        try:
            super().of_operation(op)
        except UnsupportedError:
            if extents is None:
                raise
        else:
            if extents is None or self.extents[op.y] == extents:
                return op
        made = graph.DynamicReshapeOp(op.x, shape=shape_of(op.y), extents=extents)
        copy_provenance(made, op)
        made.y.name_hint = op.y.name_hint
        Rewriter.replace_op(op, made)
        self.extents[made.y] = extents
        return made
