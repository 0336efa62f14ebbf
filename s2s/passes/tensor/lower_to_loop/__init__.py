"""Lower every kernel of tensor computations to loops over flat buffers, as the schedules say.

    func.func private @k(%x: tensor<4x8xf32>) -> tensor<4xf32> { %y = tensor.compute [4 | 8] … }
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> { %y = graph.call @k(%x) … }
->
    func.func private @k(%y: memref<4xf32>, %x: memref<32xf32>) { loop.for %i = 0 to 4 { … } }
    func.func @main(%y: memref<4xf32>, %x: memref<32xf32>) { func.call @k(%y, %x) … }

The arguments of a kernel are its results, its old arguments, then scratch buffers: one for every tensor that lives only
inside the kernel (for one block of it, where computations share blocks; none where it overwrites another one), one for
every operand with a `cache_read`, and one for every accumulator of a reduction in blocks that cannot wait in the
result. The attribute `in_place` lists the arguments whose buffer the result may overwrite. In `main`, tensors between
kernels become `loop.alloc`, for `loop-plan-memory`. A computation without a schedule is an error of the pipeline. The
declaration of a C function becomes a kernel that calls it.
"""

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.arguments import IN_PLACE
from s2s.analysis.network.begins import begins_of
from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.structure.biases import bias_with_start
from s2s.analysis.structure.compute import body_ops
from s2s.analysis.structure.overwriting import may_overwrite
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup, groups_of, may_overwrite_in_blocks
from s2s.c_syntax.identifiers import c_identifier
from s2s.dialects import graph, loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.context import weights_of
from s2s.passes.tensor.lower_to_loop.blocks import FusedGroupEmitter, inner_types, scratch_types
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type, written_over
from s2s.passes.tensor.lower_to_loop.callback import is_callback, lower_callback
from s2s.passes.tensor.lower_to_loop.main import LowerMain
from s2s.passes.tensor.lower_to_loop.margins import emit_margins
from s2s.passes.tensor.lower_to_loop.pairs import encode_pairs, pairs_of
from s2s.passes.tensor.lower_to_loop.scatter import ScatterEmitter
from s2s.passes.tensor.lower_to_loop.shifts import shift_arguments
from s2s.schedules.verify import verify_kernel
from s2s.support.frozen import frozen
from s2s.types.margins import MARGINS, margins_of
from s2s.types.sizes import VARIES, SizeRange, extents_of, ranges_of


class LowerKernel:
    """Rewrites one kernel function to take buffers."""

    def __init__(self, func: FuncOp, sizes: Mapping[str, SizeRange]) -> None:
        self.func, self.known_sizes = func, sizes
        self.computes = [op for op in func.body.block.ops if isinstance(op, tensor.Computation)]
        self.last = _whole_of(func)
        self.scatter = self.last if isinstance(self.last, tensor.ScatterOp) else None
        terminator = func.body.block.last_op
        count = len(self.computes) + (self.last is not None) + 1
        if not isinstance(terminator, ReturnOp) or count != len(func.body.block.ops):
            raise CompilerBug(f"kernel {func.sym_name.data} holds more than computations and a func.return")
        self.returned = list(terminator.arguments)
        self.inner = [result for op in self.computes for result in op.results if result not in self.returned]

    def run(self) -> tuple[MemRefType[Attribute], ...]:
        """Replace body and signature; return the types of the scratch arguments."""
        inputs = list(self.func.body.block.args)
        groups = groups_of(self.computes)
        over = written_over(groups)
        if self.scatter is not None:
            over[self.scatter.base] = self.scatter.res
        order: list[SSAValue] = [*self.returned, *inputs, *(value for value in self.inner if value not in over)]
        if len(set(order)) != len(order):
            raise CompilerBug(f"kernel {self.func.sym_name.data} returns an argument, or a value twice")
        kept = {value: type for group in groups for value, type in inner_types(group).items()}
        own = {op: scratch for group in groups for op, scratch in scratch_types(group).items()}
        routine = self.last if isinstance(self.last, tensor.ExternOp) else None
        rented = [] if routine is None else [("scratch", buffer_type(each)) for each in routine.scratch]
        named = [*(each for scratch in own.values() for each in scratch), *rented]
        types = [*(kept.get(value, buffer_type(value.type)) for value in order), *(type for _, type in named)]
        block = Block(arg_types=types)
        for number, (argument, value) in enumerate(zip(block.args, order, strict=False)):
            argument.name_hint = self._name(value, number)
        buffers: dict[SSAValue, SSAValue] = dict(zip(order, block.args, strict=False))
        for value, old in over.items():
            buffers[value] = buffers[old]
        waiting = list(block.args[len(order) :])
        for argument, (name, _) in zip(waiting, named, strict=True):
            argument.name_hint = name
        scratch = {op: [waiting.pop(0) for _ in types] for op, types in own.items()}
        self.func.attributes[IN_PLACE] = tensor.integers(self._in_place(inputs, groups[-1]) if groups else [])
        sizes = self._sizes()
        block.add_ops(sizes.values())
        shift_arguments(self.func, buffers, sizes, block)
        for group in groups:
            FusedGroupEmitter(group, buffers, scratch, block, sizes).emit()
            for op in group.ops:
                emit_margins(op, buffers, block, sizes)
        if self.scatter is not None:
            ScatterEmitter(self.scatter, buffers, block, sizes).emit()
        if routine is not None:
            block.add_op(_call(routine, buffers, waiting))
        block.add_op(ReturnOp())
        self.func.body.detach_block(self.func.body.block)
        self.func.body.add_block(block)
        self.func.function_type = FunctionType.from_lists(types, [])
        return tuple(types[len(self.returned) + len(inputs) :])

    def _sizes(self) -> dict[str, loop.SizeOp]:
        """Return the sizes that computations have at run time, by name."""
        names = [name for op in self.computes if isinstance(op, tensor.ComputeOp) for name in op.sizes_at_run_time]
        names += [margin.size for op in self.computes for margin in margins_of(op.attributes.get(MARGINS))]
        bodies = [inner for op in self.computes if isinstance(op, tensor.ComputeOp) for inner in body_ops(op)]
        if self.scatter is not None:
            names += extents_of(self.scatter.attributes.get(VARIES), len(self.scatter.sizes))
            bodies += [inner for region in self.scatter.regions for inner in region.block.ops]
        names += [inner.size.data for inner in bodies if isinstance(inner, tensor.SizeOp)]
        names += [name for argument in self.func.args for name in begins_of(self.func, argument)]
        known = self.known_sizes
        missing = next((name for name in names if name and name not in known), None)
        if missing is not None:
            raise CompilerBug(f"kernel {self.func.sym_name.data}: the module states no bounds of size {missing}")
        made = {name: loop.SizeOp(name, known[name].least, known[name].most) for name in dict.fromkeys(names) if name}
        for name, op in made.items():
            op.result.name_hint = c_identifier(name)
        return made

    def _in_place(self, inputs: Sequence[SSAValue], group: FusedGroup) -> list[int]:
        last = self.computes[-1]
        results = [self.scatter.base] if self.scatter is not None else self.returned
        if list(last.results) != results:
            return []
        return [
            number + 1
            for number, value in enumerate(inputs)
            if may_overwrite(last, value)
            and may_overwrite_in_blocks(group, value)
            and (self.scatter is None or value not in self.scatter.operands)
        ]

    def _name(self, value: SSAValue, number: int) -> str:
        if number < len(self.returned):
            return "y" if len(self.returned) == 1 else f"y{number}"
        return value.name_hint or ("scratch" if value in self.inner else "x")


def _whole_of(func: FuncOp) -> tensor.WholeOp | None:
    """Return the operation without a schedule that computes the results of a kernel, if there is one. A scatter stores
    into the tensor that a computation made for it."""
    terminator = func.body.block.last_op
    found = [op for op in func.body.block.ops if isinstance(op, tensor.WholeOp)]
    if not found:
        return None
    last = found[0]
    if len(found) > 1 or terminator is None or list(terminator.operands) != list(last.results):
        raise CompilerBug(f"kernel {func.sym_name.data} does not end in one {last.name} that computes all its results")
    base = last.base if isinstance(last, tensor.ScatterOp) else None
    if base is not None and not (isinstance(base.owner, tensor.ComputeOp) and base.has_one_use()):
        raise CompilerBug(f"kernel {func.sym_name.data} scatters into a tensor that is not its own")
    return last


def _call(op: tensor.ExternOp, buffers: Mapping[SSAValue, SSAValue], scratch: Sequence[SSAValue]) -> loop.ExternOp:
    """Return the call of a routine."""
    return loop.ExternOp(
        op.routine,
        op.numbers,
        outputs=[buffers[result] for result in op.res],
        scratch=scratch,
        inputs=[buffers[value] for value in op.inputs],
    )


def _runs_steps(ops: Sequence[Operation]) -> bool:
    """Return whether `ops` call kernels or networks."""
    return any(isinstance(op, graph.StepInterface) for op in ops)


def _is_in_taps(op: tensor.ComputeOp) -> bool:
    """Return whether an intrinsic takes the constants of `op` as rows of taps."""
    return op.schedule is not None and op.schedule.on(op).in_taps


def lower_kernel(func: FuncOp, sizes: Mapping[str, SizeRange]) -> tuple[MemRefType[Attribute], ...]:
    """Lower a kernel; return the types of its scratch arguments. `sizes` are those that vary, by name."""
    return LowerKernel(func, sizes).run()


@frozen
class LowerToLoopPass(ModulePass):
    name = "tensor-lower-to-loop"

    shapes: bool = False
    """Record the shapes of all tensors of each call of `main`, which its flat buffers do not show."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scratch: dict[str, tuple[MemRefType[Attribute], ...]] = {}
        calls = calls_of(op)
        mains: list[FuncOp] = []
        for func in [func for func in op.ops if isinstance(func, FuncOp) and not func.is_declaration]:
            ops = list(func.body.block.ops)
            if any(isinstance(inner, tensor.Computation | tensor.WholeOp) for inner in ops):
                mine = calls.get(func.sym_name.data, [])
                constants = constant_arguments(func, calls)
                verify_kernel(func, constants)
                if any(isinstance(each, tensor.ComputeOp) and bias_with_start(each, constants) for each in ops):
                    from s2s.passes.tensor.lower_to_loop.bias_starts import merge_biases

                    merge_biases(func, constants, mine, weights_of(ctx))
                for pairs in pairs_of(func, constants):
                    encode_pairs(pairs, mine, weights_of(ctx))
                if any(isinstance(each, tensor.ComputeOp) and _is_in_taps(each) for each in ops):
                    from s2s.passes.tensor.lower_to_loop.taps import encode_taps

                    encode_taps(func, constants, mine, weights_of(ctx))
                scratch[func.sym_name.data] = lower_kernel(func, ranges_of(op.attributes))
            elif func.sym_name.data == "main" or graph.TIED in func.attributes or _runs_steps(ops):
                mains.append(func)
        for func in op.ops:
            if isinstance(func, FuncOp) and is_callback(func):
                scratch[func.sym_name.data] = lower_callback(func, weights_of(ctx))
        for func in mains:
            LowerMain(func, scratch, weights_of(ctx), shapes=self.shapes).run()


__all__ = ["IN_PLACE", "LowerToLoopPass", "lower_kernel"]
