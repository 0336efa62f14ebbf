"""The network's `main` as the function that a program calls: checks of what it is handed, then kernel after kernel."""

from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.dtypes import size_in_bytes
from s2s.dialects import c, loop
from s2s.dialects.graph.traits import provenance
from s2s.emit.identifiers import c_macro, port_identifiers
from s2s.emit.types import element_name
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names

_VOID_POINTER = c.PtrType(c.VOID)


class LowerNetwork:
    """Writes the run function."""

    def __init__(self, main: Main, names: Names) -> None:
        self.main, self.names, self.prefix = main, names, names.prefix
        inputs, outputs = port_identifiers(main.input_names, main.output_names)
        self.parameters = ["arena", *inputs, *outputs]
        self.arguments = [main.arena, *main.inputs, *main.outputs]
        self.bases: dict[Attribute, SSAValue] = {}
        """The pointer into the arena for each element type."""

    def run(self) -> c.FuncOp:
        """The function `<prefix>_run(arena, inputs…, outputs…)`."""
        types = [_VOID_POINTER, *(self._port(value, const=True) for value in self.main.inputs)]
        types += [self._port(value, const=False) for value in self.main.outputs]
        block = Block(arg_types=types)
        b = Builder(block)
        for old, new in zip(self.arguments, block.args, strict=True):
            b.values[old] = new
        self._divide_arena(b, block.args[0])
        self._check(b, block)
        for op in self.main.func.body.block.ops:
            self._lower(b, op)
        block.add_op(c.ReturnOp(b.add(c.SymbolOp("S2S_OK", c.STATUS))))
        extents = ["", *(f"{c_macro(f'{self.prefix}_{name}')}_SIZE" for name in self.parameters[1:])]
        return c.FuncOp(f"{self.prefix}_run", types, c.STATUS, block, parameters=self.parameters, extents=extents)

    def _divide_arena(self, b: Builder, arena: SSAValue) -> None:
        """One pointer into the arena for each type that lies there: `float *const a = arena;`."""
        views = [op for op in self.main.func.body.block.ops if isinstance(op, loop.ViewOp)]
        elements = list(dict.fromkeys(_element(view.result.type) for view in views))
        names = ["a"] if len(elements) == 1 else [f"a_{element_name(element)}" for element in elements]
        for name, element in zip(names, elements, strict=True):
            self.bases[element] = b.add(c.LetOp(name, arena, c.PtrType(element)))

    def _port(self, value: SSAValue, *, const: bool) -> Attribute:
        return c.PtrType(_element(value.type), const=const)

    def _check(self, b: Builder, block: Block) -> None:
        """Refuse missing memory, and an arena that the kernels cannot use."""
        handed = list(block.args) if self.main.arena_size else list(block.args[1:])
        null = b.add(c.SymbolOp("NULL", _VOID_POINTER))
        missing = [b.binary("==", value, null) for value in handed]
        if missing:
            self._refuse(b, _any_of(b, missing), "S2S_ERR_NULL")
        if self.main.arena_size:
            align = b.add(c.SymbolOp(f"{c_macro(self.prefix)}_ARENA_ALIGN", IndexType()))
            aligned = b.call("s2s_is_aligned", [block.args[0], align], IntegerType(1))
            self._refuse(b, b.unary("!", aligned), "S2S_ERR_ALIGN")

    def _refuse(self, b: Builder, test: SSAValue, status: str) -> None:
        then = Block()
        with b.inside(then):
            then.add_op(c.ReturnOp(b.add(c.SymbolOp(status, c.STATUS))))
        b.block.add_op(c.IfOp(test, then))

    def _lower(self, b: Builder, op: Operation) -> None:
        match op:
            case loop.ViewOp():
                b.values[op.result] = self._view(b, op)
            case loop.WeightOp():
                pointer = c.PtrType(_element(op.result.type), const=True)
                b.values[op.result] = b.add(c.SymbolOp(self.names.weights[op.weight.data], pointer))
            case CallOp():
                nodes = ", ".join(provenance(op)) or None
                arguments = [b.value(argument) for argument in op.arguments]
                b.block.add_op(c.CallOp(self.names.kernels[op.callee.root_reference.data], arguments, comment=nodes))
            case ReturnOp():
                pass
            case _:
                raise CompilerBug(f"{op.name} is left in main; plan the memory first")

    def _view(self, b: Builder, op: loop.ViewOp) -> SSAValue:
        """`a + 1024`, counted in elements; always with the offset, so that the plan can be read off the calls."""
        element = _element(op.result.type)
        position, rest = divmod(op.offset.value.data, size_in_bytes(element))
        if rest:
            raise CompilerBug(f"a buffer of {element} lies at byte {op.offset.value.data} of the arena")
        return b.binary("+", self.bases[element], b.literal(position, IndexType()))


def _any_of(b: Builder, tests: list[SSAValue]) -> SSAValue:
    result = tests[0]
    for test in tests[1:]:
        result = b.binary("||", result, test)
    return result


def flat_array(type: Attribute) -> c.ArrayType:
    """The C array that holds a buffer."""
    if not isa(type, MemRefType[Attribute]):
        raise CompilerBug(f"{type} is not a buffer")
    return c.ArrayType(type.get_shape()[0], type.element_type)


def _element(type: Attribute) -> Attribute:
    if not isa(type, MemRefType[Attribute]):
        raise CompilerBug(f"{type} is not a buffer")
    return type.element_type
