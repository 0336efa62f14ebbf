"""Check the sizes at which a network is too small to be compared operation by operation with the greatest one.

Near its least sizes a network may look different: broadcasting of an axis of one position, a window that moves nowhere.
So it is compared as a whole at greater ones only (`check_sizes.py`), and here what it states is read at each of the
smaller ones. A network of other operations is run there, and has to give the same results (`same_results.py`). A
constant or an attribute that is the same at the sizes compared, and another one here, would be wrong in
a run: of `x[5, N]`, `ArgMax(EyeLike(x))` is 0, 1, 2, 3, 4 from `N = 5` on, and 0, 1, 2, 0, 0 at `N = 3`; the slice
`x[:5]` has 3 elements there. Such sizes are refused; from which one on the network is right, the error says.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from s2s.analysis.network.functions import main_of
from s2s.dialects import graph
from s2s.dialects.graph.traits import DESCRIPTIVE, provenance
from s2s.errors import InputError, UnsupportedError
from s2s.stages.state import State
from s2s.types.dtypes import Array, from_dense
from s2s.types.sizes import DECIDED, OR_NOTHING, SizeRange
from s2s.verify.arrays import begins_with

FIRST_COMPARED = 5
"""So far above the least size is the smallest one at which networks are compared as a whole, if the range reaches so
far."""

ReadAt = Callable[[Mapping[str, int]], State]
"""Reads and simplifies the network at constant sizes."""
DifferenceAt = Callable[[Mapping[str, int], State], str | None]
"""Tells how the results of the compiled network differ at these sizes from those of the one read there."""


def check_least_sizes(
    sizes: Mapping[str, SizeRange], computed: Container[str], read_at: ReadAt, difference_at: DifferenceAt
) -> None:
    """Raise an error if the network states something else at one of its least sizes, or other operations that give
    other results. Where a size is `computed`, the model may be none at the least ones: it chooses the greatest three of
    what a run finds, two at times."""
    for name, size in sizes.items():
        compared = min(size.least + FIRST_COMPARED * size.step, size.most - size.step)
        if compared <= size.least:
            continue
        greatest, smaller = (_Statements(read_at({name: each})) for each in (size.most, compared))
        for each in reversed(range(size.least, compared, size.step)):
            try:
                state = read_at({name: each})
            except (InputError, UnsupportedError) as error:
                if name in computed:
                    break
                raise type(error)(f"--dim {name}={each}: {error}; give a greater least size") from error
            least = _Statements(state)
            _check(name, size._replace(least=each), greatest, smaller, least)
            if least.names == smaller.names == greatest.names or computed:
                continue
            difference = difference_at({name: each}, state)
            if difference is not None:
                raise UnsupportedError(
                    f"--dim {name}={each}: the network has other operations than from {name}={each + size.step} on, "
                    f"without which it {difference}; let {name} begin there"
                )


def _check(name: str, bounds: SizeRange, greatest: "_Statements", smaller: "_Statements", least: "_Statements") -> None:
    """Compare what the network states at the least size of `bounds`, if it has the same operations there."""
    size = bounds.least
    other = next(least.other_decisions(greatest, is_empty=size == 0), None)
    if other is not None:
        raise UnsupportedError(
            f"{other}: takes another branch at {name}={size} than from {name}={size + bounds.step} on; let {name} "
            "begin there"
        )
    if least.names != smaller.names or smaller.names != greatest.names:
        return
    for number, op in enumerate(greatest.ops):
        if smaller.is_part(number, greatest) and not least.is_part(number, smaller, constants_only=size <= 1):
            raise UnsupportedError(
                f"{place_of(op)}: is not at {name}={size} what it is from {name}={size + bounds.step} on; let {name} "
                "begin there"
            )


class _Statements:
    """What the operations of a network state: constants, and attributes."""

    def __init__(self, state: State) -> None:
        self.ops: Sequence[Operation] = [op for op in main_of(state.module).body.block.ops if not _is_dead(op)]
        self.names = [op.name for op in self.ops]
        self.weights = state.weights
        decided = state.module.attributes.get(DECIDED)
        self.decided: Mapping[str, Attribute] = decided.data if isinstance(decided, DictionaryAttr) else {}
        """What sizes have decided while the network was read, by node."""

    def other_decisions(self, whole: "_Statements", *, is_empty: bool) -> Iterator[str]:
        """Yield the nodes of which sizes have decided otherwise than in the greater network `whole`, and it matters."""
        for node, ours in self.decided.items():
            theirs = whole.decided.get(node, ours)
            holds = isinstance(theirs, StringAttr) and theirs.data.endswith(OR_NOTHING)
            if theirs != ours and not (is_empty and holds):
                yield node

    def is_part(self, number: int, whole: "_Statements", *, constants_only: bool = False) -> bool:
        """Return whether an operation states what that of the greater network `whole` does, or the first part of it."""
        ours, theirs = self.ops[number], whole.ops[number]
        values = self._value(ours), whole._value(theirs)
        if values[0] is not None and values[1] is not None:
            return begins_with(values[1], values[0])
        return constants_only or _attributes(ours) == _attributes(theirs)

    def _value(self, op: Operation) -> Array | None:
        match op:
            case graph.WeightOp():
                return self.weights.get(op.weight_name.data)
            case graph.ConstantOp():
                return from_dense(op.value)
            case _:
                return None


def place_of(op: Operation) -> str:
    """Return the nodes that an operation stands for; those that read a constant."""
    users = [use.operation for result in op.results for use in result.uses]
    nodes = next((", ".join(nodes) for each in (op, *users) if (nodes := provenance(each))), None)
    return nodes or next((f"output {name}" for name in _outputs_of(op)), "the network")


def _outputs_of(op: Operation) -> Iterator[str]:
    """Yield the names of the outputs of the network that are results of `op`."""
    for use in (use for result in op.results for use in result.uses if isinstance(use.operation, ReturnOp)):
        main = use.operation.parent_op()
        given = main.res_attrs if isinstance(main, FuncOp) else None
        if given is not None and isinstance(name := given.data[use.index].data.get("name"), StringAttr):
            yield name.data


def _is_dead(op: Operation) -> bool:
    return bool(op.results) and not any(result.uses for result in op.results)


def _attributes(op: Operation) -> dict[str, Attribute]:
    """Return the attributes of `op` that follow from sizes only if the model says so."""
    return {
        name: value
        for name, value in {**op.attributes, **op.properties}.items()
        if name not in DESCRIPTIVE and not isinstance(value, StringAttr)
    }
