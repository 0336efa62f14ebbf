"""Lower kernels divided among threads: the function that a network calls, and what each thread runs.

    func.func private @conv(%y, %x, %rows) attributes {threads = 2, per_thread = array<i64: 2>, …} { … }
->
    static void net_conv_part(float *y, const float *x, float *rows, int32_t first, int32_t last) { … }

    typedef struct net_conv_task { float *y; const float *x; float *rows; } net_conv_task;

    static void net_conv_thread(const void *arguments, int32_t first, int32_t last, int32_t thread)
    {
        const net_conv_task *const task = arguments;

        net_conv_part(task->y, task->x, task->rows + thread * 64, first, last);
    }

    void net_conv(s2s_pool *pool, float *y, const float *x, float *rows)
    {
        net_conv_task task = {y, x, rows};

        s2s_pool_run(pool, net_conv_thread, &task, 16, 2);
    }
"""

from collections.abc import Collection, Sequence
from itertools import chain, count

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.network.functions import PER_THREAD, THREADS
from s2s.c_syntax import headers
from s2s.c_syntax.identifiers import c_identifier, unique_identifiers
from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import INDEX
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.kernels import lower_part, parameter_types
from s2s.passes.loop.lower_to_c.names import sizes_in
from s2s.passes.loop.lower_to_c.parallel import iterations
from s2s.types.hints import isa

POOL = c.PtrType(c.NamedType("s2s_pool"))
_ARGUMENTS = c.PtrType(c.VOID, const=True)
_TASK = c.NamedType("s2s_pool_task")


def threads_of(func: FuncOp) -> int | None:
    """Return the maximum number of threads of a kernel or a network; None if it is serial."""
    threads = func.attributes.get(THREADS)
    return threads.value.data if isinstance(threads, IntegerAttr) else None


class LowerDivided:
    """Writes the functions of one kernel."""

    def __init__(self, func: FuncOp, name: str, taken: Collection[str]) -> None:
        self.func, self.name = func, name
        self.part, self.task, self.thread = (_free(f"{name}_{what}", taken) for what in ("part", "task", "thread"))
        sizes = sizes_in(func)
        self.types = [*(_plain(type) for type in parameter_types(func, frozenset())), *[INDEX] * len(sizes)]
        hints = [*(argument.name_hint or "x" for argument in func.args), *map(c_identifier, sizes)]
        self.members = unique_identifiers(hints, taken={"pool", "task"})

    def lower(self, in_place: frozenset[int]) -> list[Operation]:
        """Return the structure of arguments, the function of a range of iterations, the thread function, and the
        kernel."""
        return [
            c.StructOp(self.task, self.members, self.types),
            lower_part(self.func, self.part, in_place),
            self._on_thread(),
            self._kernel(),
        ]

    def _on_thread(self) -> c.FuncOp:
        types: list[Attribute] = [_ARGUMENTS, INDEX, INDEX, INDEX]
        block = Block(arg_types=types)
        b = Builder(block)
        arguments, first, last, thread = block.args
        task = b.add(c.LetOp("task", arguments, c.PtrType(c.NamedType(self.task), const=True)))
        handed = [self._member(b, task, number, thread) for number in range(len(self.members))]
        block.add_op(c.CallOp(self.part, [*handed, first, last]))
        names = ["arguments", "first", "last", "thread"]
        return c.FuncOp(self.thread, types, body=block, parameters=names, static=True)

    def _member(self, b: Builder, task: SSAValue, number: int, thread: SSAValue) -> SSAValue:
        """Write an argument of the part that `thread` runs."""
        type = self.types[number]
        pointer = b.add(c.LoadOp(b.add(c.MemberOp(task, self.members[number], type))))
        if number not in self._per_thread:
            return pointer
        return b.binary("+", pointer, b.binary("*", thread, b.literal(self._copy(number), INDEX)))

    @property
    def _per_thread(self) -> Sequence[int]:
        listed = self.func.attributes.get(PER_THREAD)
        return [int(each) for each in listed.get_values()] if isinstance(listed, DenseArrayBase) else []

    def _copy(self, number: int) -> int:
        """Return the elements of scratch of one thread."""
        type, threads = self.func.args[number].type, threads_of(self.func)
        if not isa(type, MemRefType) or threads is None:
            raise CompilerBug(f"{self.name}: argument {number} is no scratch of threads")
        return type.get_shape()[0] // threads

    def _kernel(self) -> c.FuncOp:
        types = [POOL, *self.types]
        block = Block(arg_types=types)
        pool, *buffers = block.args
        b = Builder(block, sizes=dict(zip(sizes_in(self.func), buffers[len(self.func.args) :], strict=True)))
        for op in self.func.body.block.ops:
            if isinstance(op, loop.SizeOp):
                b.values[op.result], b.ranges[op.result] = b.sizes[op.size.data], op.bounds
        structure = c.NamedType(self.task)
        task = b.add(c.VariableOp(structure, b.add(c.AggregateOp(buffers, structure)), identifier="task"))
        counts = [iterations(b, self.func), b.literal(threads_of(self.func) or 1, INDEX)]
        function = b.add(c.SymbolOp(self.thread, _TASK))
        block.add_op(
            c.CallOp("s2s_pool_run", [pool, function, b.add(c.AddressOfOp(task)), *counts], header=headers.POOL)
        )
        return c.FuncOp(self.name, types, body=block, parameters=["pool", *self.members])


def _free(name: str, taken: Collection[str]) -> str:
    """Return `name`, with a number appended if it is taken; static names stay unique within a file."""
    return next(each for each in chain([name], (f"{name}_{number}" for number in count(2))) if each not in taken)


def _plain(type: Attribute) -> Attribute:
    """Return a pointer type without qualifiers about aliasing, as a structure member has."""
    return type.without_restrict() if isinstance(type, c.PtrType) else type
