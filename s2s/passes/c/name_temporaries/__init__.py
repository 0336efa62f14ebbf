"""Decide which values of a function become named variables, and give everything a name.

    %v = c.load %from : f32
    %a = c.binary %v "*" %v : (f32, f32) -> f32
    c.assign %to "=" %a : !c.lvalue<f32>, f32
->
    %v = c.load %from : f32
    %x0 = c.let "x0" %v : (f32) -> f32
    %a = c.binary %x0 "*" %x0 : (f32, f32) -> f32
    c.assign %to "=" %a : !c.lvalue<f32>, f32

which is printed as `const float x0 = x[i]; y[i] = x0 * x0;`. A value is named when it is printed more than once, when
something between its computation and its use may change what it reads, when it would be computed again in every
iteration of a loop, when one arm of a conditional expression reads it from memory, which compilers take for a branch,
or when the expression would grow too long for a reader. The next step of a sum is assigned to the variable of the step
before, `acc0 = dot(acc0, a, b);`, where nothing reads that again. Numbers, and names as they are, stay in place. Names
come from the hints of the values, unique where they are visible and never a word of C; parameters, variables and loop
counters get theirs too. Values nobody uses are dropped.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.memory.effects import Effects, erase_unused
from s2s.c_syntax.reserved import RESERVED
from s2s.dialects import c
from s2s.dialects.walk import operations, walk
from s2s.passes.c.name_temporaries.names import Scope, Updates
from s2s.passes.c.name_temporaries.placement import named_values


class NameTemporariesPass(ModulePass):
    name = "c-name-temporaries"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        erase_unused(op.body.block, Effects())
        functions = [function for function in op.ops if isinstance(function, c.FuncOp)]
        taken = RESERVED | _file_names(op)
        for function in functions:
            scope = Scope(taken)
            _name_parameters(function, scope)
            if function.body.blocks:
                _name_block(function.body.block, scope.inner())


def _name_parameters(function: c.FuncOp, scope: Scope) -> None:
    """Name the parameters of a function: keep given names, else derive names from the hints; parameters of a prototype
    have none."""
    if function.parameters is not None:
        for name in function.parameters:
            scope.declare(name.data)
        return
    hints = [argument.name_hint for argument in function.args] if function.body.blocks else []
    wishes = [hint or "arg" for hint in hints] or ["arg"] * len(function.function_type.inputs)
    function.parameters = ArrayAttr(StringAttr(scope.declare(wish)) for wish in wishes)


def _file_names(module: ModuleOp) -> set[str]:
    """Return the names with a meaning outside of the function, which no local variable may hide."""
    names: set[str] = set()
    for op in walk(module):
        match op:
            case c.FuncOp() | c.GlobalOp():
                names.add(op.sym_name.data)
            case c.CallOp():
                names.add(op.callee.data)
            case c.SymbolOp():
                names.add(op.symbol.data)
            case _:
                pass
    return names


def _name_block(block: Block, scope: Scope, around: Updates | None = None) -> None:
    """Name what a block declares, in order, and replace its named values by `c.let`."""
    wanted = named_values(block)
    updates = Updates(block, wanted, around)
    for op in operations(block):
        if isinstance(op, c.VariableOp) and updates.reuse(op):
            continue
        _name_operation(op, scope, updates)
        if not wanted.isdisjoint(op.results) and not updates.update(op):
            hint = op.results[0].name_hint
            updates.add(_let(op, scope), hint)


def _name_operation(op: Operation, scope: Scope, updates: Updates) -> None:
    match op:
        case c.VariableOp():
            if op.identifier is None:
                op.identifier = StringAttr(scope.declare_value(op.result))
            else:
                scope.declare(op.identifier.data)
        case c.LetOp():
            scope.declare(op.identifier.data)
        case c.ForOp():
            inner = scope.inner()
            name = op.identifier.data if op.identifier is not None else None
            op.identifier = StringAttr(inner.declare(name) if name else inner.declare_counter(op.iterator))
            _name_block(op.body.block, inner, updates)
        case c.IfOp() | c.LoopOp() | c.SwitchOp():
            for region in op.regions:
                _name_block(region.block, scope.inner(), updates)
        case _:
            pass


def _let(op: Operation, scope: Scope) -> c.LetOp:
    """Insert a `c.let` behind `op`, and let all users read its value."""
    value = op.results[0]
    let = c.LetOp(scope.declare_value(value), value)
    let.result.name_hint = let.identifier.data
    Rewriter.insert_op(let, InsertPoint.after(op))
    value.replace_uses_with_if(let.result, lambda use: use.operation is not let)
    return let
