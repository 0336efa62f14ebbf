"""Functions of the level `loop` as text in the form in which TVM prints its loops.

    @add = primfn(A: Pointer(float32), B: Pointer(float32), C: Pointer(float32)) -> ()
      for (i: int32, 0, 1024) {
        C[i] = (A[i] + B[i])
      }
    }

They are the loops that the C has. What a loop carries is a local buffer of one element, and a value with several uses
stands behind `let`.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects, is_side_effect_free

from s2s.dialects import loop
from s2s.tvm.te.shown_values import affine_text, element_text, operation_text, type_text
from s2s.types.hints import isa

SHOWN_COMMENTS = ("schedule: ", "threads: ")
"""The beginnings of the comments of a kernel that its text keeps."""
SEVERAL = 2
"""More local values than this that begin as one value are told by a loop."""
KINDS: Mapping[str, str] = {loop.SERIAL: "", loop.PARALLEL: ' "parallel"', loop.PARALLELIZE: ' "parallel"'}


class _Text:
    """The lines of one function."""

    def __init__(self, functions: Mapping[str, FuncOp]) -> None:
        self.lines: list[str] = []
        self._functions = functions
        self._depth = 1
        self._texts: dict[SSAValue, str] = {}
        self._names: dict[str, int] = {}
        self._waiting: dict[SSAValue, Operation] = {}
        """Values that are read from memory, and which no statement has used yet."""

    def named(self, value: SSAValue, hint: str | None = None) -> str:
        """Give a value a name that no other one has."""
        self._texts[value] = self._fresh(hint or value.name_hint or "v")
        return self._texts[value]

    def _fresh(self, base: str) -> str:
        """A name that is not taken."""
        count = self._names[base] = self._names.get(base, -1) + 1
        return base if not count else self._fresh(f"{base}_{count}")

    def block(self, block: Block) -> None:
        """Write the statements of a block."""
        for op in block.ops:
            self._operation(op)

    def _write(self, line: str) -> None:
        self.lines.append("  " * self._depth + line)

    def _of(self, value: SSAValue) -> str:
        """The text of a value, which is used here."""
        self._waiting.pop(value, None)
        return self._texts[value] if value in self._texts else self.named(value)

    def _all(self, values: Sequence[SSAValue]) -> list[str]:
        return [self._of(value) for value in values]

    def _settle(self) -> None:
        """Give names to values that were read from memory, before a statement changes it."""
        for value in list(self._waiting):
            self._let(value)

    def _let(self, value: SSAValue) -> None:
        text = self._of(value)
        self._write(f"let {self.named(value)}: {type_text(value.type)} = {text}")

    def _statement(self, line: str) -> None:
        """Write a statement that changes memory; its own text is made before."""
        self._settle()
        self._write(line)

    def _operation(self, op: Operation) -> None:
        match op:
            case loop.YieldOp() | ReturnOp():
                pass
            case loop.ForOp():
                self._for(op)
            case loop.IfOp():
                self._if(op)
            case loop.StoreOp():
                value, buffer, *indices = self._all(op.operands)
                self._statement(f"{element_text(op, op.value.type, buffer, indices)} = {value}")
            case loop.StoreAtOp():
                value, buffer, index = self._all(op.operands)
                self._statement(f"{buffer}[{index}] = {value}")
            case loop.AllocOp():
                self._allocate(op.result, "global")
            case loop.WeightOp():
                self._allocate(op.result, "constant")
            case CallOp() if (called := self._functions.get(op.callee.string_value())) is not None:
                self._call(called, op)
            case _ if _is_value(op):
                self._value(op)
            case _:
                self._other(op)

    def _value(self, op: Operation) -> None:
        """Keep the text of a value for the one who uses it, or give it a name."""
        (result,) = op.results
        operands = self._all(op.operands)
        is_read = any(value in self._waiting for value in op.operands) or not _is_pure(op)
        text = self._texts[result] = operation_text(op, operands)
        self._waiting |= {result: op} if is_read else {}
        if not result.has_one_use() and not _is_short(op) and text not in operands:
            self._let(result)

    def _other(self, op: Operation) -> None:
        """Write an operation without a form of its own as a call by its name, and its regions in braces."""
        said = [text for name, value in op.properties.items() if name != "header" and (text := _said(value))]
        line = f"@{op.name}({', '.join([*said, *self._all(op.operands)])})"
        self._settle()
        results = ", ".join(self.named(result) for result in op.results)
        self._write(f"let {results} = {line}" if results else line)
        for region in op.regions:
            self._braces("{", region.block)

    def _allocate(self, buffer: SSAValue, scope: str) -> None:
        assert isa(buffer.type, MemRefType)
        kind, name = type_text(buffer.type.element_type), self._texts.get(buffer) or self.named(buffer)
        size = buffer.type.get_shape()[0]
        self._write(f"allocate({name}: Pointer({scope} {kind}), {kind}, [{size}]), storage_scope = {scope};")

    def _braces(self, opening: str, block: Block) -> None:
        self._settle()
        self._write(opening)
        self._depth += 1
        self.block(block)
        self._settle()
        self._depth -= 1
        self._write("}")

    def _carry(self, names: Sequence[str], values: Sequence[SSAValue]) -> None:
        """Let local buffers hold other values; ones that read one another are read first."""
        texts = self._all(values)
        for place, value in enumerate(values):
            if any(name in texts[place] for name in names[:place]):
                self._texts[value] = texts[place]
                self._let(value)
                texts[place] = self._texts[value]
        for name, text in zip(names, texts, strict=True):
            if name != text:
                self._statement(f"{name} = {text}")

    def _local(self, results: Sequence[SSAValue], arguments: Sequence[SSAValue]) -> list[str]:
        """Allocate local buffers for the values that a region hands on, one for each type of them.

        A value that the region around hands on by this one alone has a place already.
        """
        by_type: dict[str, list[tuple[SSAValue, SSAValue]]] = {}
        for pair in zip(results, arguments, strict=True):
            outer = _handed_on(pair[0])
            if outer is None:
                by_type.setdefault(type_text(pair[0].type), []).append(pair)
            else:
                self._texts |= dict.fromkeys(pair, self._texts[outer])
        for kind, pairs in by_type.items():
            name = self.named(pairs[0][1], (pairs[0][1].name_hint or "v").rstrip("0123456789"))
            self._write(f"allocate({name}: Pointer(local {kind}), {kind}, [{len(pairs)}]), storage_scope = local;")
            for place, pair in enumerate(pairs):
                self._texts |= dict.fromkeys(pair, f"{name}[{place}]")
        return [self._texts[result] for result in results]

    def _start(self, names: Sequence[str], values: Sequence[SSAValue]) -> None:
        """Let local buffers hold their first values; a loop where many are one value."""
        if len(names) > SEVERAL and len(set(values)) == 1:
            (text,), step = self._all(values[:1]), self._fresh("i")
            local = names[0].partition("[")[0]
            self._statement(f"for ({step}: int32, 0, {len(names)}) {{ {local}[{step}] = {text} }}")
        else:
            self._carry(names, values)

    def _for(self, op: loop.ForOp) -> None:
        index, *carried = op.body.block.args
        self._settle()
        names = self._local(op.res, carried)
        self._start(names, op.inits)
        name, dims = self.named(index), self._all(op.dims)
        first, last = (_bound(bound.data.results, dims, what) for bound, what in ((op.lower, "max"), (op.upper, "min")))
        step = op.step.value.data
        extent = _extent(first, last, step)
        if step != 1:
            self._texts[index] = f"({name}*{step})" if first == "0" else f"({first} + ({name}*{step}))"
        kind = ' "unroll"' if op.unroll is not None else KINDS[op.kind.data]
        self._settle()
        self._write(f"for ({name}: int32, {first if step == 1 else 0}, {extent}){kind} {{")
        self._region(op.body.block, names)

    def _if(self, op: loop.IfOp) -> None:
        dims = self._all(op.dims)
        condition = op.condition.data
        tests = [
            f"({affine_text(constraint.lhs, dims)} {constraint.kind.value} {affine_text(constraint.rhs, dims)})"
            for constraint in condition.constraints
        ]
        self._settle()
        names = self._local(op.res, op.res)
        self._write(f"if {' && '.join(tests)} {{")
        self._region(op.then.block, names)
        if op.otherwise is not None:
            self.lines[-1] += " else {"
            self._region(op.otherwise.block, names)

    def _region(self, block: Block, names: Sequence[str]) -> None:
        """Write a region, whose opening stands already, and what it hands on."""
        self._depth += 1
        self.block(block)
        last = block.last_op
        if isinstance(last, loop.YieldOp):
            self._carry(names, last.arguments)
        self._settle()
        self._depth -= 1
        self._write("}")

    def _call(self, called: FuncOp, op: CallOp) -> None:
        """Write a kernel where it is called, on the buffers that it is given."""
        doc = called.attributes.get("doc")
        for line in doc.data.splitlines() if isinstance(doc, StringAttr) else ():
            if line.startswith(SHOWN_COMMENTS):
                self._write(f"// {line}")
        for argument, buffer in zip(called.body.block.args, op.arguments, strict=True):
            self._texts[argument] = self._of(buffer)
        self.block(called.body.block)


def _said(attribute: Attribute) -> str | None:
    """A name that an operation has as a property; None of another property."""
    if isinstance(attribute, SymbolRefAttr):
        return f"@{attribute.string_value()}"
    return f'"{attribute.data}"' if isinstance(attribute, StringAttr) else None


def _handed_on(result: SSAValue) -> SSAValue | None:
    """The value carried by the loop around that a loop takes, and gives back as `result`; None where it does more."""
    inner = result.owner
    outer = None if not isinstance(inner, loop.ForOp) else inner.parent_op()
    if not isinstance(inner, loop.ForOp) or not isinstance(outer, loop.ForOp) or not result.has_one_use():
        return None
    init = inner.inits[[other is result for other in inner.res].index(True)]
    carried: list[SSAValue] = list(outer.body.block.args[1:])
    yielded = outer.body.block.last_op
    place = carried.index(init) if init in carried and init.has_one_use() else None
    same = place is not None and isinstance(yielded, loop.YieldOp) and yielded.arguments[place] is result
    return init if same else None


def _is_value(op: Operation) -> bool:
    """Whether an operation gives one value, and changes nothing."""
    if len(op.results) != 1 or op.regions or isa(op.results[0].type, MemRefType):
        return False
    effects = get_effects(op)
    is_read = effects is not None and all(effect.kind == MemoryEffectKind.READ for effect in effects)
    return is_read or _is_pure(op)


def _is_pure(op: Operation) -> bool:
    return op.name.startswith(("arith.", "math.")) or is_side_effect_free(op)


def _is_short(op: Operation) -> bool:
    """Whether the text of a value stands wherever it is used: a number, an index, or many times a number."""
    source = op.scalar.owner if isinstance(op, loop.BroadcastOp) else op
    return isinstance(source, arith.ConstantOp | loop.ApplyOp | loop.SizeOp)


def _bound(results: Sequence[object], dims: Sequence[str], what: str) -> str:
    texts = [affine_text(result, dims) for result in results]  # pyright: ignore[reportArgumentType]
    return texts[0] if len(texts) == 1 else f"{what}({', '.join(texts)})"


def _extent(first: str, last: str, step: int) -> str:
    """The number of steps between two bounds."""
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        return str(max(-(-(int(last) - int(first)) // step), 0))
    length = last if first == "0" else f"({last} - {first})"
    return length if step == 1 else f"ceildiv({length}, {step})"


def shown(module: ModuleOp, name: str, order: Sequence[str]) -> str:
    """The functions of a module as text: `main` by a name, with kernels where they are called, and the functions that
    its loops call. `order` names the arguments of the first."""
    functions = {op.sym_name.data: op for op in module.clone().ops if isinstance(op, FuncOp)}
    main = functions.pop("main")
    kernels = {key: function for key, function in functions.items() if "kernel" in function.attributes}
    _name_scratch(main, kernels)
    further = [(key, function) for key, function in functions.items() if key not in kernels and function.body.blocks]
    return "\n".join(_function(key, function, kernels, order) for key, function in [(name, main), *further])


def _function(name: str, function: FuncOp, kernels: Mapping[str, FuncOp], order: Sequence[str]) -> str:
    text = _Text(kernels)
    named = {text.named(argument): argument.type for argument in function.body.block.args}
    ports = [*(port for port in order if port in named), *(port for port in named if port not in order)]
    kinds = [named[port] for port in ports]
    arguments = [
        f"{port}: Pointer({type_text(kind.element_type)})" if isa(kind, MemRefType) else f"{port}: {type_text(kind)}"
        for port, kind in zip(ports, kinds, strict=True)
    ]
    text.block(function.body.block)
    return "\n".join([f"@{name} = primfn({', '.join(arguments)}) -> () {{", *text.lines, "}"])


def _name_scratch(main: FuncOp, kernels: Mapping[str, FuncOp]) -> None:
    """Let buffers of `main` that have no tensor's name have the names that kernels give them."""
    for op in main.walk():
        if isinstance(op, CallOp) and (called := kernels.get(op.callee.string_value())) is not None:
            for argument, buffer in zip(called.body.block.args, op.arguments, strict=True):
                if isinstance(buffer.owner, loop.AllocOp) and (buffer.name_hint or "").startswith("scratch"):
                    buffer.name_hint = argument.name_hint
