"""Find the results of kernels that overlap their operands in the planned arena."""

from collections.abc import Mapping, Sequence, Set

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.memory.buffers import written_by
from s2s.analysis.network.arguments import IN_PLACE
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.memory.accesses import buffer_bytes
from s2s.memory.buffers import InPlace
from s2s.memory.calls import Lifetime

OFFSET = "offset"
"""Key of an argument of `main`: the byte offset in the arena at which an input or output may lie."""
Span = tuple[int, int]
"""The first byte of a buffer, and the byte behind its last one."""
Lifetimes = Mapping[SSAValue, Lifetime]


def note_aliases(networks: Sequence[FuncOp], kernels: Mapping[str, FuncOp]) -> None:
    """Restrict each kernel's `in_place` to the arguments that the result of some call overlaps."""
    used: dict[str, set[int]] = {}
    for func in networks:
        spans, inputs = spans_of(func), _inputs_of_kernels(func, kernels)
        for call in calls_of(func):
            name = call.callee.string_value()
            shared = {number for number, each in _inputs(call, inputs[name]) if _shared(call, each, spans)}
            used.setdefault(name, set()).update(shared)
    for name, numbers in used.items():
        kernels[name].attributes[IN_PLACE] = DenseArrayBase.from_list(i64, sorted(numbers))


def overlaps_of(func: FuncOp, kernels: Mapping[str, FuncOp]) -> list[DictionaryAttr]:
    """Describe each result that overlaps an operand, for the report."""
    found: list[DictionaryAttr] = []
    spans, inputs = spans_of(func), _inputs_of_kernels(func, kernels)
    for call in calls_of(func):
        made = call.arguments[0]
        for number, each in _inputs(call, inputs[call.callee.string_value()]):
            shared = _shared(call, each, spans)
            if shared and each is not made:
                entry = {"argument": number, "bytes": shared, "distance": spans[made][0] - spans[each][0]}
                numbers = {key: IntegerAttr(value, i64) for key, value in entry.items()}
                found.append(DictionaryAttr({"nodes": StringAttr(", ".join(provenance(call))), **numbers}))
    return found


def calls_of(func: FuncOp) -> list[CallOp]:
    """Return the calls of kernels in `func`."""
    return [op for op in func.body.block.ops if isinstance(op, CallOp)]


def spans_of(func: FuncOp) -> dict[SSAValue, Span]:
    """Return the byte ranges of `func`'s buffers in the arena."""
    views = [op for op in func.body.block.ops if isinstance(op, loop.ViewOp)]
    starts: dict[SSAValue, int] = {op.result: op.start for op in views}
    for argument, attributes in zip(func.args, func.arg_attrs or (), strict=False):
        offset = attributes.data.get(OFFSET)
        if isinstance(offset, IntegerAttr):
            starts[argument] = offset.value.data
    return {value: (start, start + buffer_bytes(value)) for value, start in starts.items()}


def _inputs(call: CallOp, numbers: Set[int]) -> list[tuple[int, SSAValue]]:
    """Return the arguments of `call` that are inputs of its kernel."""
    return [(number, given) for number, given in enumerate(call.arguments) if number in numbers]


def _inputs_of_kernels(func: FuncOp, kernels: Mapping[str, FuncOp]) -> dict[str, set[int]]:
    """Return the numbers of inputs of each kernel that `func` calls."""
    return {name: _input_numbers(kernels[name]) for name in {call.callee.string_value() for call in calls_of(func)}}


def _input_numbers(kernel: FuncOp) -> set[int]:
    """Return the numbers of the arguments behind the first result that the kernel does not write, or may write in
    place."""
    written = written_by(kernel)
    arguments = kernel.body.block.args if kernel.body.blocks else ()
    unwritten = {number for number, argument in enumerate(arguments) if argument not in written}
    return (unwritten | set(in_place_arguments(kernel))) - {0}


def _shared(call: CallOp, other: SSAValue, spans: Mapping[SSAValue, Span]) -> int:
    """Return the bytes that the result of `call` shares with another buffer."""
    made = call.arguments[0]
    if made is other:
        return buffer_bytes(made)
    if made not in spans or other not in spans:
        return 0
    return max(0, min(spans[made][1], spans[other][1]) - max(spans[made][0], spans[other][0]))


def in_place_arguments(kernel: FuncOp) -> list[int]:
    """Return the numbers of the arguments that the result of `kernel` may lie over."""
    listed = kernel.attributes.get(IN_PLACE)
    return [int(number) for number in listed.get_values()] if isinstance(listed, DenseArrayBase) else []


def in_place_pairs(
    steps: Sequence[Operation], kernels: Mapping[str, FuncOp], names: Mapping[SSAValue, str], lives: Lifetimes
) -> list[InPlace]:
    """Return the permissions to compute a result in place of an operand that dies there."""
    pairs: list[InPlace] = []
    for step, call in enumerate(steps):
        if isinstance(call, loop.CopyOp):
            pairs += _copied_in_place(call, step, names, lives)
        if not isinstance(call, CallOp):
            continue
        made = call.arguments[0]
        for number in in_place_arguments(kernels[call.callee.root_reference.data]):
            dying = call.arguments[number]
            if made not in lives or dying not in lives or lives[made].first != step or lives[dying].last != step:
                continue
            if lives[dying].first < step and list(map(loop.whole_of, call.arguments)).count(dying) == 1:
                pairs.append(InPlace(names[made], names[dying]))
    return pairs


def _copied_in_place(copy: loop.CopyOp, step: int, names: Mapping[SSAValue, str], lives: Lifetimes) -> list[InPlace]:
    """Return the permission to make a copy in place if its source dies."""
    made, dying = lives.get(copy.target), lives.get(copy.source)
    if made is None or dying is None or made.first != step or not dying.first < dying.last == step:
        return []
    return [InPlace(names[copy.target], names[copy.source])]
