"""Sort: find the largest or smallest elements in order."""

from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.types.size import is_size


def largest(x: Value, count: int, *, last: bool = False) -> tuple[Value, Value]:
    """Return the `count` largest elements along the last dimension and their positions; the smallest ones if `last`.

    Among equal elements the one with the lower position comes first.
    """
    if not is_size(count) and count == 1:
        places = emit(graph.ArgminOp if last else graph.ArgmaxOp, x, axis=x.rank - 1, keepdims=True, element_type=i32)
    else:
        places = emit(graph.TopKOp, x, count=count, smallest=last)
    return emit(graph.GatherElementsOp, x, places, axis=x.rank - 1), places
