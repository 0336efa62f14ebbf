"""Take the weights of a network out of its program: they come in a pack, which the caller binds (`--weights pack`).

    c.global @net_conv_w : … weight "conv.w"
    c.func @net_run(%arena, %x, %y) { … c.call "net_conv"(%y, %x, net_conv_w) … }
->
    c.struct @net_weights members ["pack"] types [s2s_pack]
    c.global @net_conv_w : … weight "conv.w" {packed}
    c.func @net_run(%weights, %arena, %x, %y) {
      c.if %weights == NULL { return S2S_ERR_NULL }
      c.if %weights->pack.weights == NULL { return S2S_ERR_UNBOUND }
      %w = c.let "w" %weights->pack.weights
      … c.call "net_conv"(%y, %x, %w + NET_CONV_W_AT) …
    }

Functions that another one calls hand the pointer on; the structure of a run in steps keeps it. The macros with the
places of weights, in elements, are written with the pack (`s2s/emit/pack.py`).

Declined for initial values of state, which `net_reset` copies: these stay in the program.
"""

from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, IndexType, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.c_syntax.identifiers import c_macro, unique_identifiers
from s2s.c_syntax.types import element_name
from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.errors import CompilerBug, InputError
from s2s.passes.c.place_constants import PACKED
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.run_sizes import refuse
from s2s.support.frozen import frozen
from s2s.types.hints import isa

WEIGHTS = "weights"
_PACK = c.NamedType("s2s_pack")
_BYTES = c.PtrType(c.VOID, const=True)
_NULL = c.PtrType(c.VOID)


def place_macro(identifier: str) -> str:
    """Return the macro with the place of a weight in the pack, in elements."""
    return f"{c_macro(identifier)}_AT"


@frozen
class PackWeightsPass(ModulePass):
    name = "c-pack-weights"

    prefix: str = "net"
    """The network's name in C."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        packing = _Packing(op, self.prefix)
        if not packing.packed:
            raise InputError("--weights pack: the network has no weights; leave --weights out")
        packing.run()


class _Packing:
    """Gives the functions of a module a parameter with the weights."""

    def __init__(self, module: ModuleOp, prefix: str) -> None:
        self.module, self.prefix = module, prefix
        self.structure = c.NamedType(f"{prefix}_{WEIGHTS}")
        self.type = c.PtrType(self.structure, const=True)
        self.functions = {op.sym_name.data: op for op in module.ops if isinstance(op, c.FuncOp) and op.body.blocks}
        tables = {op.sym_name.data: op for op in module.ops if isinstance(op, c.GlobalOp) and op.weight is not None}
        initial = set(_symbols(self.functions.get(f"{prefix}_reset")))
        self.packed = {name: table for name, table in tables.items() if name not in initial}
        """The weights of the pack, by their names in C."""
        structs = [op for op in module.ops if isinstance(op, c.StructOp)]
        self.steps = next((op for op in structs if op.sym_name.data == f"{prefix}_steps"), None)
        """The structure of a run in steps."""
        self.begin = self.functions.get(f"{prefix}_begin") if self.steps is not None else None
        self.step = self.functions.get(f"{prefix}_step") if self.steps is not None else None
        self.wanting = self._wanting()
        """The functions that get the parameter."""

    def run(self) -> None:
        """Rewrite the module."""
        for table in self.packed.values():
            table.attributes[PACKED] = UnitAttr()
        parameters = {func: self._add_parameter(func) for func in self.wanting}
        for func, weights in parameters.items():
            self._hand_on(func, weights)
            self._read(func, weights, self._first(func))
            if func.extents is not None:
                self._check(func, weights)
        self._keep(parameters)
        definition = c.StructOp(self.structure.spelling.data, ["pack"], [_PACK])
        Rewriter.insert_op(definition, InsertPoint.at_start(self.module.body.block))

    def _wanting(self) -> list[c.FuncOp]:
        """Return the readers of weights and all that call one; a step finds the pointer in the structure of its run."""
        others = [func for func in self.functions.values() if func is not self.step]
        wanting = {func for func in others if func is self.begin or self._uses(func)}
        size = -1
        while size != len(wanting):
            size, names = len(wanting), {func.sym_name.data for func in wanting}
            wanting |= {func for func in others if names & set(_callees(func))}
        return [func for func in others if func in wanting]

    def _uses(self, func: c.FuncOp) -> list[c.SymbolOp]:
        return [op for op in walk(func) if isinstance(op, c.SymbolOp) and op.symbol.data in self.packed]

    def _place(self, func: c.FuncOp) -> int:
        """Return the number of the parameter: the first one, behind the structure of a run."""
        return 1 if func is self.begin else 0

    def _add_parameter(self, func: c.FuncOp) -> SSAValue:
        block, place = func.body.block, self._place(func)
        [name] = unique_identifiers([WEIGHTS], taken=_names(func))
        weights = block.insert_arg(self.type, place)
        weights.name_hint = name
        func.properties["function_type"] = FunctionType.from_lists(list(block.arg_types), [func.output])
        for key, text in (("parameters", name), ("extents", "")):
            texts = func.properties.get(key)
            if isa(texts, ArrayAttr[StringAttr]):
                func.properties[key] = ArrayAttr([*texts.data[:place], StringAttr(text), *texts.data[place:]])
        return weights

    def _hand_on(self, func: c.FuncOp, weights: SSAValue) -> None:
        """Pass the weights to the functions that want them."""
        for call in [op for op in walk(func) if isinstance(op, c.CallOp)]:
            callee = self.functions.get(call.callee.data)
            if callee not in self.wanting or callee is None:
                continue
            operands, place = list(call.arguments), self._place(callee)
            call_with_weights = c.CallOp.create(
                operands=[*operands[:place], weights, *operands[place:]],
                properties=call.properties,
                attributes=call.attributes,
                result_types=[result.type for result in call.results],
            )
            Rewriter.replace_op(call, [call_with_weights], call_with_weights.results)

    def _read(self, func: c.FuncOp, weights: SSAValue, before: Operation) -> None:
        """Replace the names of weights by pointers into the pack, from a pointer for each element type."""
        uses = self._uses(func)
        elements = list(dict.fromkeys(map(_element, uses)))
        texts = ["w"] if len(elements) == 1 else [f"w_{element_name(element)}" for element in elements]
        b, bases = Builder(Block()), dict[Attribute, SSAValue]()
        for element, name in zip(elements, unique_identifiers(texts, taken=_names(func)), strict=True):
            let = c.LetOp(name, _address(b, weights), c.PtrType(element, const=True))
            bases[element] = b.add(let)
        _insert(b.block, before)
        for op in uses:
            place = c.SymbolOp(place_macro(op.symbol.data), IndexType())
            pointer = c.BinaryOp("+", bases[_element(op)], place.result)
            Rewriter.replace_op(op, [place, pointer], [pointer.result])

    def _check(self, func: c.FuncOp, weights: SSAValue) -> None:
        """Refuse a missing pointer, and weights that no pack has been bound to."""
        b = Builder(Block())
        null = b.add(c.SymbolOp("NULL", _NULL))
        refuse(b, b.binary("==", weights, null), "S2S_ERR_NULL")
        refuse(b, b.binary("==", _address(b, weights), null), "S2S_ERR_UNBOUND")
        _insert(b.block, self._first(func))

    def _keep(self, parameters: dict[c.FuncOp, SSAValue]) -> None:
        """Keep the pointer in the structure of a run in steps, where each step finds it."""
        if self.steps is None or self.begin is None or self.step is None:
            return
        names = [member.data for member in self.steps.members]
        [member] = unique_identifiers([WEIGHTS], taken=names)
        self.steps.properties["members"] = ArrayAttr([StringAttr(member), *self.steps.members])
        self.steps.properties["types"] = ArrayAttr([self.type, *self.steps.types])
        b = Builder(Block())
        b.block.add_op(c.AssignOp(b.add(c.MemberOp(self.begin.args[0], member, self.type)), parameters[self.begin]))
        assignment = next(op for op in self.begin.body.block.ops if isinstance(op, c.AssignOp))
        _insert(b.block, _start_of(assignment))
        b = Builder(Block())
        weights = b.add(c.LoadOp(b.add(c.MemberOp(self.step.args[0], member, self.type))))
        weights.name_hint = member
        first = next(op for op in self.step.body.block.ops if isinstance(op, c.MemberOp))
        _insert(b.block, first)
        self._hand_on(self.step, weights)
        self._read(self.step, weights, first)

    @staticmethod
    def _first(func: c.FuncOp) -> Operation:
        first = func.body.block.first_op
        if first is None:
            raise CompilerBug(f"{func.sym_name.data}: reads weights, and has no statement")
        return first


def _address(b: Builder, weights: SSAValue) -> SSAValue:
    """Read `weights->pack.weights`."""
    return b.add(c.LoadOp(b.add(c.MemberOp(b.add(c.MemberOp(weights, "pack", _PACK)), "weights", _BYTES))))


def _insert(block: Block, before: Operation) -> None:
    """Move the operations of a block in front of one of another block."""
    ops = list(block.ops)
    for op in ops:
        op.detach()
    Rewriter.insert_op(ops, InsertPoint.before(before))


def _start_of(assignment: c.AssignOp) -> Operation:
    """Return the operation that designates the place of an assignment."""
    owner = assignment.place.owner
    return owner if isinstance(owner, Operation) else assignment


def _symbols(func: c.FuncOp | None) -> Iterable[str]:
    return [] if func is None else [op.symbol.data for op in walk(func) if isinstance(op, c.SymbolOp)]


def _callees(func: c.FuncOp) -> Iterable[str]:
    return [op.callee.data for op in walk(func) if isinstance(op, c.CallOp)]


def _names(func: c.FuncOp) -> Sequence[str]:
    """Return the names that a function has given already."""
    named = [op.identifier for op in walk(func) if isinstance(op, c.LetOp | c.VariableOp)]
    return [identifier.data for identifier in (*(func.parameters or ()), *named) if identifier is not None]


def _element(op: c.SymbolOp) -> Attribute:
    if not isinstance(op.result.type, c.PtrType):
        raise CompilerBug(f"{op.symbol.data} is no pointer to weights")
    return op.result.type.element
