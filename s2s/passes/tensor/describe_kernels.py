"""Write a description of each kernel into its `doc` attribute, for the comment above its C function.

    func.func private @matmul_add(%a: tensor<6x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16xf32>) -> … { … }
->
    … attributes {doc = "y[m][n] = sum(k: a[m][k] * b[k][n]) + c[n],  m < 6, n < 16, k < 8
                         y[6][16], a[6][8], b[8][16], c[16]
                         nodes: fc1
                         schedule: tile 3 m x 4 n"}

The formula comes from the computation itself, after fusion and packing; the nodes are those of all calls.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.network.functions import DOC
from s2s.analysis.structure.biases import bias_with_start
from s2s.analysis.structure.compute import names_of, shape_of
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup, fused_tiles, groups_of
from s2s.c_syntax.identifiers import c_identifier
from s2s.dialects import tensor
from s2s.dialects.graph.traits import provenance
from s2s.passes.tensor.formulas import Formula, ScatterFormula, TransformFormula

MAX_SHOWN_NODES = 6


def describe_schedule(op: tensor.Computation) -> str:
    """Return the schedule in words; empty if it consists of plain loops in order."""
    return "" if op.schedule is None else "; ".join(op.schedule.describe(op, names_of(op)))


def describe_group(group: FusedGroup, labels: Mapping[Operation, str]) -> list[str]:
    """Return the schedules of computations that share a loop over blocks, and the sizes of the blocks.

    In a kernel of several computations, `labels` gives the result of each: `mean: tile 4 j`.
    """
    schedules = [
        f"{labels[op]}: {text}" if op in labels else text for op in group.ops if (text := describe_schedule(op))
    ]
    first, names = group.ops[0], names_of(group.ops[0])
    walk = [f"{size} {names[dim]}" for dim, size in fused_tiles(first) if size < first.sizes[dim]]
    if not walk:
        return schedules
    return [", ".join([f"in blocks of {' x '.join(walk)}", *schedules[:1]]), *schedules[1:]]


def describe(func: FuncOp, nodes: Sequence[str], constants: frozenset[SSAValue] = frozenset()) -> str:
    """Return the comment of a kernel; initial values of sums that become part of a bias are left out, as far as both
    are among the `constants`."""
    computes = [op for op in func.body.block.ops if isinstance(op, tensor.Computation)]
    last = func.body.block.last_op
    returned = list(last.arguments) if isinstance(last, ReturnOp) else []
    steps = [op for op in func.body.block.ops if isinstance(op, tensor.Computation | tensor.WholeOp)]
    names = _names(func, steps, returned)
    lines = [_formula(op, names) for op in steps]
    pairs = [(op, bias_with_start(op, constants)) for op in computes if isinstance(op, tensor.ComputeOp)]
    merged = {op.epilogue[both.start] for op, both in pairs if both is not None}
    shown = [*returned, *(each for each in func.body.block.args if each not in merged)]
    lines.append(", ".join(names[value] + "".join(f"[{size}]" for size in shape_of(value)) for value in shown))
    if nodes:
        more = len(nodes) - MAX_SHOWN_NODES
        lines.append("nodes: " + ", ".join(nodes[:MAX_SHOWN_NODES]) + (f" and {more} more" if more > 0 else ""))
    labels: dict[Operation, str] = {}
    if len(computes) > 1:
        labels = {op: ", ".join(names[result] for result in op.results) for op in computes}
    schedules = [text for group in groups_of(computes) for text in describe_group(group, labels)]
    if schedules:
        lines.append("schedule: " + " | ".join(schedules))
    return "\n".join(lines)


def _formula(op: tensor.Computation | tensor.WholeOp, names: Mapping[SSAValue, str]) -> str:
    match op:
        case tensor.ExternOp():
            results = ", ".join(names[result] for result in op.res)
            return f"{results} = {op.routine.data}({', '.join(names[value] for value in op.inputs)})"
        case tensor.ScatterOp():
            return ScatterFormula(op, names).lines()
        case tensor.TransformOp():
            return TransformFormula(op, names).lines()
        case tensor.ComputeOp():
            return Formula(op, names).lines()


def _names(func: FuncOp, steps: Sequence[Operation], returned: Sequence[SSAValue]) -> dict[SSAValue, str]:
    names: dict[SSAValue, str] = {}
    fresh: Callable[[str], str] = lambda base: _fresh(base, names)  # noqa: E731
    for number, value in enumerate(returned):
        names[value] = "y" if len(returned) == 1 else f"y{number}"
    for value in func.body.block.args:
        names[value] = fresh(c_identifier(value.name_hint or "x"))
    for op in steps:
        if isinstance(op, tensor.ScatterOp):
            names[op.base] = names[op.res]
        for result in op.results:
            if result not in names:
                names[result] = fresh(c_identifier(result.name_hint or "scratch"))
    return names


def _fresh(base: str, taken: Mapping[SSAValue, str]) -> str:
    name, count, used = base, 1, set(taken.values())
    while name in used:
        count += 1
        name = f"{base}{count}"
    return name


class DescribeKernelsPass(ModulePass):
    name = "tensor-describe-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        calls = calls_of(op)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            if any(isinstance(inner, tensor.Computation | tensor.WholeOp) for inner in func.body.block.ops):
                nodes = dict.fromkeys(node for call in calls.get(func.sym_name.data, []) for node in provenance(call))
                func.attributes[DOC] = StringAttr(describe(func, list(nodes), constant_arguments(func, calls)))
