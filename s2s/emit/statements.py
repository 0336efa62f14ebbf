"""Write C statements, functions and tables: one statement a line, four columns a level."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, DictionaryAttr, StringAttr, SymbolRefAttr, i8
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.c_syntax.expressions import EXPRESSIONS, Expression, without_widening, written
from s2s.c_syntax.identifiers import c_comment, c_string
from s2s.c_syntax.layout import WIDTH, Breakable, Text, call, flat, lay_out, lay_out_assignment
from s2s.c_syntax.literals import array_literals, literal
from s2s.c_syntax.types import c_type, declaration
from s2s.dialects import c
from s2s.dialects.c import ArrayType
from s2s.dialects.walk import operations
from s2s.errors import CompilerBug
from s2s.types.dtypes import from_dense
from s2s.types.hints import isa

INDENT = 4
_WIDEST_TABLE = 150
"""The maximum width of a table, which may exceed the width of code."""
_DECLARATIONS = (c.LetOp, c.VariableOp)
_OPERATORS = frozenset(("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "=", ">>", "<<", "?", ":", "x"))
"""Words of formulas, and of schedules, that join what stands on both sides."""


def comment_lines(text: str, indent: int = 0) -> list[str]:
    """Format `text` as a block comment; empty for no text."""
    lines = [wrapped for line in text.splitlines() for wrapped in _wrapped(c_comment(line), WIDTH - indent - 3)]
    if not lines:
        return []
    pad = " " * indent
    opened = [f"{pad}{' * ' if number else '/* '}{line}".rstrip() for number, line in enumerate(lines)]
    return [*opened[:-1], f"{opened[-1]} */"]


def _wrapped(line: str, width: int) -> list[str]:
    """Wrap `line` at spaces; continuation lines are indented by two."""
    lines, room = [line], width - 3
    while len(lines[-1]) > room and (cut := _cut(lines[-1], room)) > 0:
        lines[-1:] = [lines[-1][:cut].rstrip(), "  " + lines[-1][cut:].lstrip()]
    return lines


def _cut(line: str, room: int) -> int:
    """Return where to wrap `line`: at the last space in `room`, or in a formula at a space of the last third that is in
    fewer brackets and beside no operator; -1 if there is no space."""
    last = line.rfind(" ", 3, room)
    spaces = [at for at in range(2 * room // 3, last + 1) if line[at] == " "]
    return min(spaces, key=lambda at: (_depth(line[:at]), _is_beside_operator(line, at), -at), default=last)


def _depth(text: str) -> int:
    """Return the number of brackets that `text` leaves open."""
    return sum(text.count(opening) - text.count(closing) for opening, closing in ("()", "[]"))


def _is_beside_operator(line: str, at: int) -> bool:
    """Return whether the space at `at` has an operator on one side."""
    before, after = line[:at].rpartition(" ")[2], line[at + 1 :].partition(" ")[0]
    return not {before, after}.isdisjoint(_OPERATORS)


class FunctionWriter:
    """Writes one function, whose values were named by `c-name-temporaries`."""

    def __init__(self, func: c.FuncOp) -> None:
        if func.parameters is None and func.function_type.inputs.data:
            raise CompilerBug(f"{func.sym_name.data}: parameters have no names; was c-name-temporaries run?")
        self.func = func
        self._names: dict[SSAValue, str] = {}
        if func.parameters is not None and func.body.blocks:
            self._names.update(zip(func.args, (name.data for name in func.parameters), strict=True))

    def definition(self) -> list[str]:
        """The comment, the head and the body."""
        doc = comment_lines(self.func.doc.data) if self.func.doc is not None else []
        section = [] if self.func.section is None else [self.func.section.data]
        return [*doc, *section, *lay_out(self._head(""), 0), "{", *self._body(), "}"]

    def prototype(self) -> list[str]:
        """The declaration for a header."""
        return lay_out(self._head(";"), 0)

    def _head(self, end: str) -> Text:
        func = self.func
        static = "static " if func.static is not None else ""
        if func.outline is not None:
            static = "S2S_OUTLINE "
        result = c_type(func.output)
        opening = f"{static}{result}{'' if result.endswith('*') else ' '}{func.sym_name.data}("
        return call(opening, self._parameters() or ["void"], f"){end}")

    def _parameters(self) -> list[Text]:
        func = self.func
        if func.parameters is None:
            return []
        extents = [extent.data for extent in func.extents] if func.extents is not None else [""] * len(func.parameters)
        restrict = "restrict" if func.restrict_macro is None else "S2S_RESTRICT"
        return [
            _parameter(type, name.data, extent, restrict)
            for type, name, extent in zip(func.function_type.inputs.data, func.parameters, extents, strict=True)
        ]

    def _body(self) -> Iterator[str]:
        """Write the statements. Leading declarations are set apart by a blank line; an unused parameter is cast to
        void."""
        unused = [f"{' ' * INDENT}(void){self._names[arg]};" for arg in self.func.args if not arg.uses]
        ops = operations(self.func.body.block)
        first = next((at for at, op in enumerate(ops) if _acts(op)), len(ops))
        declarations = list(self._statements(ops[:first], INDENT))
        rest = [*unused, *self._statements(ops[first:], INDENT)]
        yield from declarations
        if declarations and rest:
            yield ""
        yield from rest

    def _block(self, block: Block, indent: int) -> Iterator[str]:
        return self._statements(operations(block), indent)

    def _statements(self, ops: Iterable[Operation], indent: int) -> Iterator[str]:
        """Write statements; a blank line follows a loop."""
        written = [op for op in ops if _acts(op) or type(op) not in EXPRESSIONS]
        for commented, run in groupby(written, lambda op: isinstance(op, c.CallOp) and op.comment is not None):
            if commented:
                yield from self._commented_calls([op for op in run if isinstance(op, c.CallOp)], indent)
            else:
                for op in run:
                    yield from self._statement(op, indent)
                    if isinstance(op, c.ForOp | c.LoopOp) and op is not written[-1]:
                        yield ""

    def _commented_calls(self, calls: Sequence[c.CallOp], indent: int) -> Iterator[str]:
        """Write calls with aligned comments behind them, or above them where a line would get too long."""
        written = [lay_out(self._call(op), indent) for op in calls]
        texts = [op.comment.data if op.comment is not None else "" for op in calls]
        column = max(len(lines[0]) for lines in written) + 1
        beside = [f"/* {c_comment(text)} */" for text in texts]
        if all(len(lines) == 1 for lines in written) and column + max(map(len, beside)) <= WIDTH:
            for lines, comment in zip(written, beside, strict=True):
                yield f"{lines[0]:<{column}}{comment}"
            return
        for lines, text in zip(written, texts, strict=True):
            yield from comment_lines(text, indent)
            yield from lines

    def _statement(self, op: Operation, indent: int) -> Iterator[str]:
        """Write one statement; yield nothing for an expression, which is written where it is used."""
        match op:
            case c.LetOp():
                self._names[op.result] = op.identifier.data
                target = f"{declaration(op.result.type, op.identifier.data, const=True)} ="
                yield from lay_out_assignment(target, self._stored(op.value).text, indent)
            case c.VariableOp():
                yield from self._variable(op, indent)
            case c.AssignOp():
                target = f"{self.expression(op.place).flat} {op.operator.data}"
                yield from lay_out_assignment(target, self._stored(op.value).text, indent)
            case c.ForOp() | c.IfOp() | c.LoopOp() | c.SwitchOp() | c.BreakOp():
                yield from self._control(op, indent)
            case c.ReturnOp():
                value = Breakable("return ", (self.expression(op.value).text,), ";") if op.value else "return;"
                yield from lay_out(value, indent)
            case c.CommentOp():
                yield from comment_lines(op.text.data, indent)
            case c.CallOp() if _acts(op):
                yield from lay_out(self._call(op), indent)
            case _ if type(op) not in EXPRESSIONS:
                raise CompilerBug(f"{op.name} is no statement of C")
            case _:
                pass

    def _variable(self, op: c.VariableOp, indent: int) -> Iterator[str]:
        if op.identifier is None:
            raise CompilerBug("a variable has no name; was c-name-temporaries run?")
        name = self._names[op.result] = op.identifier.data
        align = f"S2S_ALIGNED({op.align.value.data}) " if op.align is not None else ""
        const = op.initial is not None and _is_only_read(op.result)
        head = f"{align}{declaration(op.result.type.element, name, const=const)}"
        end = ";" if op.comment is None else f"; /* {c_comment(op.comment.data)} */"
        if op.initial is None:
            yield from lay_out(head + end, indent)
        else:
            yield from lay_out(Breakable(f"{head} = ", (self._stored(op.initial).text,), end), indent)

    def _control(self, op: c.ForOp | c.IfOp | c.LoopOp | c.SwitchOp | c.BreakOp, indent: int) -> Iterator[str]:
        match op:
            case c.ForOp():
                yield from self._for(op, indent)
            case c.IfOp():
                yield from self._if(op, indent)
            case c.LoopOp():
                yield " " * indent + "for (;;) {"
                yield from self._block(op.body.block, indent + INDENT)
                yield " " * indent + "}"
            case c.SwitchOp():
                yield from self._switch(op, indent)
            case c.BreakOp():
                yield " " * indent + "break;"

    def _for(self, op: c.ForOp, indent: int) -> Iterator[str]:
        if op.identifier is None:
            raise CompilerBug("a loop counter has no name; was c-name-temporaries run?")
        name = self._names[op.iterator] = op.identifier.data
        step = op.step.value.data
        compare = "<" if step > 0 else ">"
        if op.by is not None:
            advance = f"{name} {'+' if step > 0 else '-'}= {self.expression(op.by).flat}"
        else:
            advance = {1: f"{name}++", -1: f"{name}--"}.get(step, f"{name} {'+' if step > 0 else '-'}= {abs(step)}")
        items = (
            Breakable(f"{declaration(op.iterator.type, name)} = ", (self.expression(op.lower).text,), ";"),
            Breakable(f"{name} {compare} ", (self.expression(op.upper).text,), ";"),
            advance,
        )
        if op.unroll is not None:
            yield " " * indent + f"S2S_UNROLL({op.unroll.value.data})"
        yield from lay_out(Breakable("for (", items, ") {"), indent)
        yield from self._block(op.body.block, indent + INDENT)
        yield " " * indent + "}"

    def _if(self, op: c.IfOp, indent: int, before: str = "") -> Iterator[str]:
        yield from lay_out(Breakable(f"{before}if (", (self.expression(op.condition).text,), ") {"), indent)
        yield from self._block(op.then.block, indent + INDENT)
        if op.otherwise is not None:
            alone = _only_if(op.otherwise.block)
            if alone is not None:
                yield from self._if(alone, indent, "} else ")
                return
            yield " " * indent + "} else {"
            yield from self._block(op.otherwise.block, indent + INDENT)
        yield " " * indent + "}"

    def _switch(self, op: c.SwitchOp, indent: int) -> Iterator[str]:
        pad = " " * indent
        yield from lay_out(Breakable("switch (", (self.expression(op.value).text,), ") {"), indent)
        labels = [*(f"case {number}:" for number in range(len(op.cases))), "default:"]
        for label, block in zip(labels, [*op.cases, op.otherwise], strict=True):
            declares = any(isinstance(statement, c.LetOp | c.VariableOp) for statement in block.ops)
            yield f"{pad}{label} {{" if declares else pad + label
            yield from self._block(block, indent + INDENT)
            if not isinstance(block.last_op, c.ReturnOp):
                yield f"{pad}{' ' * INDENT}break;"
            if declares:
                yield f"{pad}}}"
        yield f"{pad}}}"

    def expression(self, value: SSAValue) -> Expression:
        """Return `value` as an expression at its use."""
        return written(value, self._names.get)

    def _stored(self, value: SSAValue) -> Expression:
        """Return `value` as the right side of an assignment, where C widens it. Analysers take a bare byte for a
        character."""
        narrow = without_widening(value)
        return self.expression(value if narrow.type == i8 else narrow)

    def _call(self, op: c.CallOp) -> Text:
        """A call as a statement."""
        head = "(void)" if op.discards is not None else ""
        return call(f"{head}{op.callee.data}(", [self.expression(argument).text for argument in op.arguments], ");")


def _only_if(block: Block) -> c.IfOp | None:
    """Return the condition with two branches that is all that `block` does; None if it does anything else."""
    last = block.last_op
    if not isinstance(last, c.IfOp) or last.otherwise is None:
        return None
    if any(type(op) not in EXPRESSIONS for op in block.ops if op is not last):
        return None
    return last


def _is_only_read(place: SSAValue) -> bool:
    """Return whether nothing is done with a variable but reading it or its fields."""
    readers = [use.operation for use in place.uses]
    return all(
        isinstance(each, c.LoadOp) or (isinstance(each, c.MemberOp) and _is_only_read(each.result)) for each in readers
    )


def _acts(op: Operation) -> bool:
    """Return whether `op` is a statement that declares nothing."""
    if isinstance(op, c.CallOp):
        return op.result is None or not op.result.uses
    return type(op) not in EXPRESSIONS and not isinstance(op, _DECLARATIONS)


def include_line(op: c.IncludeOp) -> str:
    """`#include <math.h>`, `#include "s2s.h"`."""
    return f"#include {spelt_header(op)}"


def spelt_header(op: c.IncludeOp) -> str:
    """`<math.h>`, `"s2s.h"`."""
    return f"<{op.header.data}>" if op.system is not None else f'"{op.header.data}"'


def overlay_definition(op: c.OverlayOp) -> list[str]:
    """Write a union of structures, one for each object, with the bytes in front of it."""
    lines = [f"typedef union {op.sym_name.data} {{"]
    for name, offset, type in zip(op.members, op.offsets.get_values(), op.types, strict=True):
        before = f"uint8_t before[{offset}]; " if offset else ""
        lines.append(f"{' ' * INDENT}struct {{ {before}{declaration(type, 'data')}; }} {name.data};")
    return [*lines, f"}} {op.sym_name.data};"]


def struct_definition(op: c.StructOp) -> list[str]:
    """Write a structure, one member a line."""
    members = [
        f"{' ' * INDENT}{declaration(type, name.data)};" for name, type in zip(op.members, op.types, strict=True)
    ]
    return [f"typedef struct {op.sym_name.data} {{", *members, f"}} {op.sym_name.data};"]


def global_definition(op: c.GlobalOp) -> list[str]:
    """Write a constant table with its values."""
    head = f"{'static ' if op.static is not None else ''}{declaration(op.type, op.sym_name.data, const=True)} = "
    if op.value is None:
        raise CompilerBug(f"{op.sym_name.data}: its values belong to the weights unit")
    comment = comment_lines(op.comment.data) if op.comment is not None else []
    return [*comment, *_definition(head, op.value, op.type)]


def _definition(head: str, value: Attribute, type: Attribute) -> list[str]:
    """Write `head` with its initialiser; table rows and structure fields take lines of their own."""
    if isa(value, DictionaryAttr):
        lines = [f".{name} = {flat(_initialiser(item, type))}," for name, item in value.data.items()]
    elif isa(value, ArrayAttr[Attribute]) and all(isa(row, ArrayAttr[Attribute]) for row in value):
        rows = [row for row in value if isa(row, ArrayAttr[Attribute])]
        lines = _columns([[flat(_initialiser(cell, type)) for cell in row] for row in rows])
    else:
        return lay_out(Breakable(head, (_initialiser(value, type),), ";"), 0)
    return [head + "{", *(f"{' ' * INDENT}{line}" for line in lines), "};"]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows of a table with aligned cells, unless they get too wide, each followed by its number."""
    separated = [[*(f"{cell}," for cell in row[:-1]), *row[-1:]] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*separated, fillvalue="")]
    if sum(widths) + len(widths) > _WIDEST_TABLE:
        widths = [0] * len(widths)
    lines = ["{" + " ".join(map(str.ljust, row, widths)).rstrip() + "}," for row in separated]
    longest = max(map(len, lines)) if any(widths) else 0
    return [f"{line:<{longest}} /* {number} */" for number, line in enumerate(lines)]


def _initialiser(value: Attribute, type: Attribute) -> Text:
    """Write an initialiser in braces, row by row."""
    if isinstance(value, DenseIntOrFPElementsAttr):
        dense = cast(DenseIntOrFPElementsAttr[Any], value)
        element = type
        while isinstance(element, ArrayType):
            element = element.element
        return _rows(array_literals(from_dense(dense), element), type)
    if isa(value, ArrayAttr[Attribute]):
        inner = type.element if isinstance(type, ArrayType) else type
        return call("{", [_initialiser(item, inner) for item in value], "}")
    if isinstance(value, StringAttr):
        return c_string(value.data)
    if isinstance(value, SymbolRefAttr):
        return value.root_reference.data
    return literal(value)


def _rows(literals: list[str], type: Attribute) -> Text:
    """Nest `literals` as an array type does."""
    if not isinstance(type, ArrayType):
        return literals[0]
    step = len(literals) // type.size
    return call("{", [_rows(literals[at : at + step], type.element) for at in range(0, len(literals), step)], "}")


def _parameter(type: Attribute, name: str, extent: str, restrict: str) -> str:
    """A parameter; with an extent as an array, which says how much is behind the pointer."""
    if not extent:
        return declaration(type, name, restrict=restrict)
    if not isinstance(type, c.PtrType):
        raise CompilerBug(f"parameter {name} has extent {extent} and is no pointer")
    return declaration(type.element, f"{name}[{extent}]", const=type.is_const)
