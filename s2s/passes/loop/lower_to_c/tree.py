"""Lower decision trees to branches.

    %w = tensor.tree %a, %b {…}
->
    float w;
    if (a <= 0.5f) {
        w = 1.0f;
    } else {
        if (b <= -2.0f) { … }
    }
"""

from xdsl.ir import Block, SSAValue

from s2s.dialects import c
from s2s.dialects.tensor import TreeOp
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.trees import COMPARISONS, Trees

_OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}
"""The comparison that holds where another does not, NaN aside: for NaN neither does."""


@LOWERINGS.register(TreeOp)
def lower_tree(b: Builder, op: TreeOp) -> SSAValue:
    """Lower a tree to a variable that each leaf assigns."""
    variable = b.add(c.VariableOp(value_type(op.result.type)))
    variable.name_hint = op.result.name_hint or "tree"
    _Branches(b, op, variable).emit(0)
    return b.add(c.LoadOp(variable))


class _Branches:
    def __init__(self, b: Builder, op: TreeOp, variable: SSAValue) -> None:
        self.b, self.variable, self.type = b, variable, value_type(op.result.type)
        self.trees: Trees = op.trees
        self.values = op.values.get_values()
        self.operands = [b.value(operand) for operand in op.operands_]

    def emit(self, row: int) -> None:
        """Append what a row does."""
        trees, b = self.trees, self.b
        if trees.is_leaf(row):
            b.block.add_op(c.AssignOp(self.variable, b.literal(self.values[row], self.type)))
            return
        test = self._test(row)
        branches: list[Block] = []
        for child in (trees.yes[row], trees.no[row]):
            branches.append(Block())
            with b.inside(branches[-1]):
                self.emit(child)
        b.block.add_op(c.IfOp(test, *branches))

    def _test(self, row: int) -> SSAValue:
        """Whether the comparison of a node holds, or its feature is NaN and goes with the ones that hold."""
        trees, b = self.trees, self.b
        value, comparison = self.operands[trees.features[row]], COMPARISONS[trees.comparisons[row]]
        split = b.literal(trees.splits[row], self.type)
        if not trees.missing[row] or comparison == "!=":
            return b.binary(comparison, value, split)
        if comparison in _OPPOSITE:
            return b.unary("!", b.binary(_OPPOSITE[comparison], value, split))
        return b.binary("||", b.binary(comparison, value, split), b.binary("!=", value, value))
