"""The network's `main` over buffers: results become arguments, what passes between kernels becomes `loop.alloc`."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, MemRefType, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from s2s.analysis.compute import shape_of
from s2s.dialects import graph, loop, tensor
from s2s.dialects.graph.traits import provenance, set_provenance
from s2s.errors import CompilerBug
from s2s.passes.tensor.block_channels import BLOCKED
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type

ROLE = "role"
"""Key of an argument of `main`: `"output"` or `"input"`."""
SHAPE = "shape"
"""Key of an argument of `main`: the shape of the tensor that the buffer holds."""


class LowerMain:
    """Rebuilds `main` once its kernels take buffers; `scratch` gives the types of the scratch arguments of each."""

    def __init__(self, func: FuncOp, scratch: Mapping[str, tuple[MemRefType[Attribute], ...]]) -> None:
        self.func, self.scratch = func, scratch
        last = func.body.block.last_op
        assert isinstance(last, ReturnOp)
        self.returned = list(last.arguments)
        self.buffers: dict[SSAValue, SSAValue] = {}

    def run(self) -> None:
        """Replace body, signature and argument attributes."""
        old = self.func.body.block
        types = [buffer_type(value.type) for value in [*self.returned, *old.args]]
        block = Block(arg_types=types)
        for new, value in zip(block.args, [*self.returned, *old.args], strict=True):
            new.name_hint = value.name_hint
        self._bind_outputs(block)
        self.buffers.update(zip(old.args, block.args[len(self.returned) :], strict=True))
        for op in old.ops:
            self._lower(op, block)
        block.add_op(ReturnOp())
        self.func.arg_attrs = ArrayAttr(
            [
                *_attributes(self.func.res_attrs, "output", self.returned),
                *_attributes(self.func.arg_attrs, "input", old.args),
            ]
        )
        self.func.res_attrs = None
        self.func.body.detach_block(old)
        old.erase(safe_erase=False)
        self.func.body.add_block(block)
        self.func.function_type = FunctionType.from_lists(types, [])

    def _bind_outputs(self, block: Block) -> None:
        """Each returned tensor, seen through reshapes, is written straight to its output."""
        for value, output in zip(self.returned, block.args, strict=False):
            root = value
            while isinstance(root.owner, graph.ReshapeOp):
                root = root.owner.x
            if isinstance(root, BlockArgument) or not isinstance(root.owner, graph.CallOp) or root in self.buffers:
                raise CompilerBug("main returns what no kernel computes for it alone; run graph-copy-outputs")
            self.buffers[root] = output

    def _lower(self, op: Operation, block: Block) -> None:
        match op:
            case graph.WeightOp():
                weight = loop.WeightOp(op.weight_name.data, op.hash.data, buffer_type(op.y.type))
                weight.result.name_hint = op.y.name_hint
                block.add_op(weight)
                self.buffers[op.y] = weight.result
            case graph.ReshapeOp():
                self.buffers[op.y] = self.buffers[op.x]
            case graph.CallOp():
                self._call(op, block)
            case ReturnOp():
                pass
            case _:
                raise CompilerBug(f"{op.name} is left in main; fuse and lower the graph first")

    def _call(self, op: graph.CallOp, block: Block) -> None:
        name = op.callee.root_reference.data
        for result in op.results:
            if result not in self.buffers:
                self.buffers[result] = self._alloc(buffer_type(result.type), result.name_hint, block)
        outputs = [self.buffers[result] for result in op.results]
        inputs = [self.buffers[operand] for operand in op.operands]
        scratch = [self._alloc(type, "scratch", block) for type in self.scratch.get(name, ())]
        call = CallOp(name, [*outputs, *inputs, *scratch], [])
        set_provenance(call, provenance(op))
        if BLOCKED in op.attributes:
            call.attributes[BLOCKED] = op.attributes[BLOCKED]
        block.add_op(call)

    def _alloc(self, type: MemRefType[Attribute], hint: str | None, block: Block) -> SSAValue:
        alloc = loop.AllocOp(type)
        alloc.result.name_hint = hint
        block.add_op(alloc)
        return alloc.result


def _attributes(
    attributes: ArrayAttr[DictionaryAttr] | None, role: str, values: Sequence[SSAValue]
) -> list[DictionaryAttr]:
    """The attributes of inputs or outputs with their role and shape added."""
    given = list(attributes) if attributes is not None else [DictionaryAttr({})] * len(values)
    return [
        DictionaryAttr({**dictionary.data, ROLE: StringAttr(role), SHAPE: tensor.integers(shape_of(value))})
        for dictionary, value in zip(given, values, strict=True)
    ]
