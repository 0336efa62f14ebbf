"""Lower networks to buffers: results become arguments, and tensors between kernels become `loop.alloc`.

The parts of a `graph.concat` become views of its buffer, and the result of a `graph.slice` a view of its operand's.

A result that is tied to an argument takes that argument's buffer. It is written there directly if nobody reads the
argument later, else to a separate buffer, which is copied at the end. A window that `graph.advance` moves is written
where it has moved to in the memory of its argument (`windows.py`).
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, IntegerAttr, MemRefType, i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from s2s.analysis.network.arguments import SHAPE, Role, with_role
from s2s.analysis.network.functions import STATE
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, loop, tensor
from s2s.dialects.graph.traits import provenance, set_provenance
from s2s.errors import CompilerBug
from s2s.passes.graph.copy_outputs import root_of
from s2s.passes.tensor.block_channels import BLOCKED, CHANNELS
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type
from s2s.passes.tensor.lower_to_loop.control import lower_control
from s2s.passes.tensor.lower_to_loop.tied import written_directly
from s2s.passes.tensor.lower_to_loop.windows import Windows
from s2s.types.affine import flat_index
from s2s.types.dtypes import size_in_bytes
from s2s.types.sizes import READS_SIZE, sizes_of
from s2s.types.symbols import function_named
from s2s.types.weights import WeightStore

SHAPES = "shapes"
"""Attribute of a call, where they are recorded: the shapes of all its results, then of its operands without scratch."""


class LowerMain:
    """Rewrites a network whose kernels take buffers; `scratch` gives the types of each kernel's scratch arguments."""

    def __init__(
        self,
        func: FuncOp,
        scratch: Mapping[str, tuple[MemRefType[Attribute], ...]],
        weights: WeightStore,
        *,
        shapes: bool = False,
    ) -> None:
        self.func, self.scratch, self.shapes = func, scratch, shapes
        last = func.body.block.last_op
        assert isinstance(last, ReturnOp)
        self.tied = graph.tied_arguments(func)
        self.returned = list(last.arguments)
        self.outputs = [value for value, tied in zip(self.returned, self.tied, strict=True) if tied is None]
        self.buffers: dict[SSAValue, SSAValue] = {}
        self.parts = _parts(func)
        self.windows = Windows(func, weights)
        self.count: SSAValue | None = None
        """The number of rows that the caller has handed over, if it does so."""
        self.block = Block()

    def run(self) -> None:
        """Replace body, signature and argument attributes."""
        old = self.func.body.block
        types = [*(buffer_type(value.type) for value in self.outputs), *self.windows.argument_types()]
        block = self.block = Block(arg_types=types)
        for new, value in zip(block.args, [*self.outputs, *old.args], strict=False):
            new.name_hint = value.name_hint
        inputs = block.args[len(self.outputs) :]
        self.windows.bind(inputs)
        self._bind_outputs(self.outputs, block.args)
        late = self._tie(inputs)
        self.buffers.update(zip(old.args, inputs, strict=False))
        for op in old.ops:
            self._lower(op)
        block.add_ops([loop.CopyOp(argument, self.buffers[root]) for argument, root in late])
        if self.count is not None:
            block.add_op(loop.EndRowsOp(self.count))
        block.add_op(ReturnOp())
        self.func.arg_attrs = ArrayAttr(
            [
                *self._attributes(self.func.res_attrs, Role.OUTPUT, self.returned, self.tied),
                *self.windows.attributes(
                    self._attributes(self.func.arg_attrs, Role.INPUT, old.args, (None,) * len(old.args))
                ),
            ]
        )
        self.func.res_attrs = None
        self.func.attributes.pop(graph.TIED, None)
        self.func.body.detach_block(old)
        old.erase(safe_erase=False)
        self.func.body.add_block(block)
        self.func.function_type = FunctionType.from_lists(types, [])

    def _bind_outputs(self, values: Sequence[SSAValue], buffers: Sequence[SSAValue]) -> None:
        """Bind each returned tensor, behind its reshapes, to the buffer of its output."""
        for value, output in zip(values, buffers, strict=False):
            self.buffers[self._computed(value)] = output

    def _tie(self, inputs: Sequence[SSAValue]) -> list[tuple[SSAValue, SSAValue]]:
        """Bind tied results to the buffers of their arguments; return results that need a copy instead."""
        late: list[tuple[SSAValue, SSAValue]] = []
        for value, tied in zip(self.returned, self.tied, strict=True):
            if tied is None or root_of(value) is self.func.body.block.args[tied]:
                continue
            root = self._computed(value)
            if self.windows.ends_as(self.func.body.block.args[tied], root):
                continue
            if written_directly(self.func, self.func.body.block.args[tied], root):
                self.buffers[root] = inputs[tied]
            else:
                late.append((inputs[tied], root))
        return late

    def _computed(self, value: SSAValue) -> SSAValue:
        """Return the result of a call that `value` reshapes."""
        root = root_of(value)
        if isinstance(root, BlockArgument) or not isinstance(root.owner, graph.StepInterface) or root in self.buffers:
            raise CompilerBug(
                f"{self.func.sym_name.data} returns what no kernel computes for it alone; run graph-copy-outputs"
            )
        return root

    def _lower(self, op: Operation) -> None:
        match op:
            case graph.WeightOp():
                weight = loop.WeightOp(op.weight_name, op.hash, buffer_type(op.y.type))
                weight.result.name_hint = op.y.name_hint
                self.block.add_op(weight)
                self.buffers[op.y] = weight.result
            case graph.ReshapeOp():
                self.buffers[op.y] = self.buffers[op.x]
            case graph.ConcatOp():
                self._result(op.y)
            case graph.SliceOp():
                start = flat_index([AffineConstantExpr(each) for each in op.starts.get_values()], shape_of(op.x))
                self.buffers[op.y] = self._part(self.buffers[op.x], start.eval([], []), op.y)
            case graph.CallOp():
                self._call(op)
            case graph.AdvanceOp():
                self.buffers |= self.windows.advance(op, self.block)
            case graph.DeviceCopyOp():
                made = loop.DeviceCopyOp(self._result(op.y), self.buffers[op.x], op.origin, op.device)
                set_provenance(made, provenance(op))
                self.block.add_op(made)
            case graph.NetworkOp() | graph.RequireOp():
                self._control(op)
            case ReturnOp():
                pass
            case _:
                raise CompilerBug(f"{op.name} is left in {self.func.sym_name.data}; fuse and lower the graph first")

    def _call(self, op: graph.CallOp) -> None:
        name = op.callee.root_reference.data
        self._read_sizes(op)
        outputs = [self._result(result) for result in op.results]
        inputs = [self.buffers[operand] for operand in op.operands]
        scratch = [self._alloc(type, "scratch") for type in self.scratch.get(name, ())]
        call = CallOp.create(operands=[*outputs, *inputs, *scratch], properties={"callee": op.callee})
        set_provenance(call, provenance(op))
        call.attributes[SHAPE] = tensor.integers(shape_of(op.results[0]))
        if self.shapes:
            call.attributes[SHAPES] = ArrayAttr(
                tensor.integers(shape_of(value)) for value in (*op.results, *op.operands)
            )
        call.attributes |= {key: op.attributes[key] for key in (BLOCKED, CHANNELS) if key in op.attributes}
        self.block.add_op(call)

    def _read_sizes(self, op: graph.CallOp) -> None:
        """Read the sizes of this run that operands of a call hold."""
        kernel, module = function_named(op, op.callee.string_value()), self.func.parent_op()
        read = None if kernel is None else kernel.attributes.get(READS_SIZE)
        if module is None or not isinstance(read, DictionaryAttr):
            return
        for size, number in read.data.items():
            assert isinstance(number, IntegerAttr)
            most = sizes_of(module.attributes)[size].most
            made = loop.ReadSizeOp(size, self.buffers[op.operands[number.value.data]], most=most)
            set_provenance(made, provenance(op))
            self.block.add_op(made)

    def _control(self, op: graph.NetworkOp | graph.RequireOp) -> None:
        outputs = [self._result(result) for result in op.results]
        inputs = [self.buffers[operand] for operand in op.operands]
        flag = None
        if isinstance(op, graph.WhileOp):
            flag = self._alloc(MemRefType(i1, [1]), "flag")
        if isinstance(op, graph.LineBuffersOp) and op.pushed is not None:
            flag = self.count = self._alloc(loop.COUNT, "count")
        made = lower_control(op, outputs, inputs, flag)
        set_provenance(made[-1], provenance(op))
        self.block.add_ops(made)

    def _result(self, result: SSAValue) -> SSAValue:
        """Return the buffer of a result: the buffer of an output or of a whole that it is a part of, else a new one."""
        if result not in self.buffers:
            if (part := self.parts.get(result)) is not None:
                whole, start = part
                self.buffers[result] = self._part(self._result(whole), start, result)
            else:
                self.buffers[result] = self._alloc(buffer_type(result.type), result.name_hint)
        return self.buffers[result]

    def _part(self, whole: SSAValue, start: int, value: SSAValue) -> SSAValue:
        """Return the buffer of `value`, a view of `whole` from element `start` on."""
        type = buffer_type(value.type)
        view = loop.ViewOp(whole, start * size_in_bytes(type.element_type), type)
        view.result.name_hint = value.name_hint
        self.block.add_op(view)
        return view.result

    def _alloc(self, type: MemRefType[Attribute], hint: str | None) -> SSAValue:
        alloc = loop.AllocOp(type)
        alloc.result.name_hint = hint
        self.block.add_op(alloc)
        return alloc.result

    @staticmethod
    def _attributes(
        attributes: ArrayAttr[DictionaryAttr] | None,
        role: Role,
        values: Sequence[SSAValue],
        tied: Sequence[int | None],
    ) -> list[DictionaryAttr]:
        """Return the attributes of inputs or outputs, with role and shape; tied results are no outputs."""
        given = list(attributes) if attributes is not None else [DictionaryAttr({})] * len(values)
        return [
            DictionaryAttr(
                {
                    **with_role(Role.STATE if STATE in dictionary.data else role, dictionary.data),
                    SHAPE: tensor.integers(shape_of(value)),
                }
            )
            for dictionary, value, argument in zip(given, values, tied, strict=True)
            if argument is None
        ]


def _parts(func: FuncOp) -> dict[SSAValue, tuple[SSAValue, int]]:
    """Map each part of a concatenation to the whole tensor and the element at which the part starts."""
    found: dict[SSAValue, tuple[SSAValue, int]] = {}
    for op in func.body.block.ops:
        if isinstance(op, graph.ConcatOp):
            starts = accumulate((prod(shape_of(part)) for part in op.inputs), initial=0)
            found |= {part: (op.y, start) for part, start in zip(op.inputs, starts, strict=False)}
    return found
