"""Arguments of kernels that are constants of few different values, to be stored as codes of four bits and tables."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, FunctionType, MemRefType, StringAttr, SymbolRefAttr, i8, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.cost.loops import operations_of, runs_of
from s2s.analysis.network.arguments import SHAPE
from s2s.analysis.network.functions import DOC
from s2s.decisions.chooser import Chooser
from s2s.decisions.constant_codes import BYTES, DECODED, LOOKED_UP, CodedConstant, ConstantCodesKind
from s2s.dialects import loop
from s2s.dialects.loop.nibbles import HALF
from s2s.memory.spare import spare_bytes
from s2s.passes.loop.code_tables import Tables, numbers_of_pairs, tables_of
from s2s.passes.loop.decode_constants import CODE_BYTES, decoder
from s2s.passes.loop.decode_constants import instructions as decoding
from s2s.passes.loop.look_ups import (
    blocks_of,
    code_bytes,
    fault_of_look_ups,
    instructions,
    is_factor,
    loads_pairs,
    look_up,
)
from s2s.passes.loop.neighbour_nibbles import MIN_NUMBERS, pass_packed
from s2s.passes.loop.pack_nibbles import PRODUCTS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.types.hints import isa
from s2s.types.weights import WeightStore


@frozen
class CodedArgument:
    """An argument of a kernel that is a constant of few different values in all calls."""

    argument: BlockArgument
    kernel: FuncOp
    calls: Sequence[CallOp]
    store: WeightStore
    tables: Tables
    """The tables that take the fewest bytes, among tables that loads can look up if there are some."""
    fault: str | None
    """Why loads cannot look up; None if they can."""
    in_pairs: bool

    @staticmethod
    def of(
        argument: BlockArgument, kernel: FuncOp, calls: Sequence[CallOp], store: WeightStore
    ) -> "CodedArgument | None":
        """Return the tables of an argument; None if it has too many values, or is no constant."""
        assert isa(argument.type, MemRefType)
        if not is_factor(argument):
            return None
        size = argument.type.get_shape()[0]
        constants = [_constant(call, argument, store) for call in calls]
        if size < MIN_NUMBERS or size % 2 or not all(each is not None and each.size == size for each in constants):
            return None
        in_pairs = loads_pairs(argument)
        numbers = [_numbers(each, in_pairs) for each in constants if each is not None]
        if all(_are_small(each) for each in numbers):
            return None
        found = tables_of(numbers, blocks_of(argument))
        if not found:
            return None
        faults = [fault_of_look_ups(argument, each) for each in found]
        best = next((number for number, fault in enumerate(faults) if fault is None), 0)
        return CodedArgument(argument, kernel, calls, store, found[best], faults[best], in_pairs)

    def chosen(self, chooser: Chooser) -> str:
        """Return the form that the chooser wants."""
        used = len({call.arguments[self.argument.index].owner for call in self.calls})
        runs = runs_of(self.kernel)
        loads = [use.operation for use in self.argument.uses]
        products = sum(runs[op] for op in runs if isinstance(op, loop.IntrinsicOp))
        subject = CodedConstant(
            kernel=self.kernel,
            bytes=used * self.tables.numbers,
            coded=used * self.tables.bytes,
            code={LOOKED_UP: sum(map(code_bytes, loads)), DECODED: CODE_BYTES},
            operations=operations_of(self.kernel) + (PRODUCTS - 1) * products,
            looking_up=sum(runs[op] * instructions(op) for op in loads),
            decoding=decoding(self.tables, pairs=self.in_pairs),
            ram=self.tables.numbers,
            spare=min(_spare(call) for call in self.calls),
            fault=self.fault,
        )
        return chooser.choose(ConstantCodesKind(), subject)

    def store_as(self, form: str) -> None:
        """Write the codes to the store, and let the kernel look them up or read what is decoded."""
        if form == BYTES:
            return
        coded_type = MemRefType(i8, [self.tables.bytes])
        place = self.argument.index
        if form == DECODED:
            pass_packed(place, coded_type, self.calls, self.store, self._encoded, suffix="codes")
            self._decode()
            return
        argument = Rewriter.replace_value_with_new_type(self.argument, coded_type)
        assert isinstance(argument, BlockArgument)
        look_up(argument, self.tables)
        self._note()
        pass_packed(place, coded_type, self.calls, self.store, self._encoded, suffix="codes")
        types = [each.type for each in self.kernel.args]
        self.kernel.function_type = FunctionType.from_lists(types, self.kernel.function_type.outputs.data)

    def _note(self) -> None:
        """Say in the comment above the kernel what its argument is."""
        doc, name = self.kernel.attributes.get(DOC), self.kernel.args[self.argument.index].name_hint
        text = f"{name}: codes of four bits, two in a byte, and behind them {self.tables.text}"
        if isinstance(doc, StringAttr):
            self.kernel.attributes[DOC] = StringAttr(f"{doc.data}\n{text}")

    def _encoded(self, values: Array) -> Array:
        return self.tables.encoded(_numbers(values, self.in_pairs))

    def _decode(self) -> None:
        """Decode the constant before each call of the kernel."""
        module = self.kernel.parent_block()
        assert module is not None
        made = decoder(_name(self.kernel), self.tables, pairs=self.in_pairs)
        module.insert_op_before(made, self.kernel)
        for call in self.calls:
            wide = loop.AllocOp(MemRefType(i8, [self.tables.numbers]))
            codes = call.arguments[self.argument.index]
            wide.result.name_hint = codes.name_hint
            decode = CallOp(SymbolRefAttr(made.sym_name), [wide.result, codes], [])
            decode.attributes |= call.attributes | {SHAPE: DenseArrayBase.from_list(i64, [self.tables.numbers])}
            Rewriter.insert_op([wide, decode], InsertPoint.before(call))
            call.operands[self.argument.index] = wide.result


def _constant(call: CallOp, argument: BlockArgument, store: WeightStore) -> Array | None:
    """Return the constant that a call passes as an argument; None if it passes another value."""
    weight = call.arguments[argument.index].owner
    return store.get(weight.weight.data).reshape(-1) if isinstance(weight, loop.WeightOp) else None


def _are_small(numbers: Array) -> bool:
    """Return whether numbers have four bits."""
    return int(numbers.min()) >= -HALF and int(numbers.max()) < HALF


def _numbers(stored: Array, in_pairs: bool) -> Array:
    return numbers_of_pairs(stored.reshape(-1)) if in_pairs else stored.reshape(-1)


def _spare(call: CallOp) -> int:
    """Return the memory that its network needs for other steps."""
    network = call.parent_op()
    assert isinstance(network, FuncOp)
    return spare_bytes(network)[call]


def _name(kernel: FuncOp) -> str:
    """Return a name for the kernel that decodes a constant of another."""
    module = kernel.parent_block()
    assert module is not None
    taken = {each.sym_name.data for each in module.ops if isinstance(each, FuncOp)}
    name = f"{kernel.sym_name.data}_constants"
    while name in taken:
        name += "_"
    return name
