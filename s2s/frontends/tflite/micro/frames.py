"""Import operators of TFLite-Micro that cut streams into frames and join frames, and keep what they wait for.

Where the reference leaves a result alone because too little has come in yet, the result holds what there is, with zeros
in front.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp, concat, equal, minimum, pad, reshape, select, take
from s2s.frontends.networks import Values, scan
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.micro.flexbuffer import options_of
from s2s.frontends.tflite.node import Importer, Node

_I16 = np.dtype(np.int16)
_HISTORY, _WAITING = "history", "waiting"
"""Names of states: numbers of earlier runs, and how many steps are missing."""


def _rows(node: Node, x: Value) -> Value:
    """`x` as rows of its last dimension."""
    if x.rank < 1:
        raise node.invalid("its input is one number", "give rows")
    return reshape(x, [prod(x.shape[:-1]), x.shape[-1]])


def _remembered(node: Node, rows: Value, count: int) -> Value:
    """The last `count` numbers of earlier runs, then `rows`; keeps as many for the next run."""
    if count == 0:
        return rows
    joined = concat([node.own_state(_HISTORY, [rows.shape[0], count], rows.dtype), rows], 1)
    node.keep_own(_HISTORY, take(joined, 1, rows.shape[1], count))
    return joined


def _delay(node: Node) -> Value:
    """The numbers of `delay_length` steps ago."""
    x = node.input(0)
    require_kinds(node, (x,), "int16")
    length, rows = options_of(node).integer("delay_length"), _rows(node, x.value)
    if length < 0:
        raise node.invalid(f"delays by {length}", "give 0 or more")
    return reshape(take(_remembered(node, rows, length), 1, 0, rows.shape[1]), x.shape)


def _framer(node: Node) -> list[Value]:
    """Frames of `frame_size` numbers that begin `frame_step` apart, and whether all of them are filled.

    Without zeros to begin with, the reference waits for whole steps: a frame then lags behind by the numbers that the
    last step of the first frame has too many.
    """
    x = node.input(0)
    require_kinds(node, (x,), "int16")
    options, rows = options_of(node), _rows(node, x.value)
    size, step = options.positive("frame_size"), options.positive("frame_step")
    if rows.shape[1] % step or size < step:
        raise node.invalid(f"makes frames of {size} by {step} of {rows.shape[1]} numbers", "give whole steps")
    count, steps, filled = rows.shape[1] // step, -(-size // step), bool(options.integer("prefill"))
    joined = _remembered(node, rows, size - step if filled else (steps - 1) * step)
    places = np.add.outer(np.arange(count) * step, np.arange(size)).astype(np.int32)
    frames = emit(graph.GatherOp, joined, node.constant(places), axis=1)
    return [reshape(frames, [*x.shape[:-1], count, size]), _is_filled(node, 0 if filled else steps - 1, count)]


def _is_filled(node: Node, missing: int, count: int) -> Value:
    """Whether `missing` steps were taken in earlier runs, of `count` steps each."""
    if missing == 0:
        return node.constant(True, np.bool_)
    taken = node.own_state(_WAITING, [1], I32)
    node.keep_own(_WAITING, minimum(taken + count, missing))
    return reshape(equal(minimum(taken, missing), missing), [])


def _stacker(node: Node) -> list[Value]:
    """The rows of a window around a step side by side, and whether a window is complete.

    Rows in front of the first one repeat it. What a window still misses is counted, and is zero before the first run.
    """
    x = node.input(0)
    require_kinds(node, (x,), "int16")
    options = options_of(node)
    left, right = options.integer("stacker_left_context"), options.integer("stacker_right_context")
    channels, step = options.positive("num_channels"), options.positive("stacker_step")
    size = left + right + 1
    if min(left, right) < 0 or step > size or x.shape != (channels,):
        raise node.invalid(f"stacks {size} rows by {step} of {list(x.shape)} numbers", f"give {channels}, by less")
    missing = node.own_state(_WAITING, [1], I32)
    is_first = equal(missing, 0)
    now = select(is_first, missing.like(right), missing - 1)
    window = _first_repeated(node, x.value, size, left, is_first)
    is_complete = equal(now, 0)
    node.keep_own(_WAITING, select(is_complete, now.like(step), now))
    return [window, reshape(is_complete, [])]


def _first_repeated(node: Node, x: Value, size: int, left: int, is_first: Value) -> Value:
    """The last `size` rows; at the first run `left + 1` times the row `x` behind zeros."""
    if size == 1:
        return x
    channels = x.shape[0]
    joined = concat([node.own_state(_HISTORY, [(size - 1) * channels], x.dtype), x], 0)
    repeated = pad(emit(graph.TileOp, x, repeats=[left + 1]), [(size - left - 1) * channels], [0])
    window = select(is_first, repeated, joined)
    node.keep_own(_HISTORY, take(window, 0, channels, (size - 1) * channels))
    return window


def _overlap_add(node: Node) -> Value:
    """Frames that begin `frame_step` apart, added up where they overlap; sums of integers are saturated."""
    x = node.input(0)
    require_kinds(node, (x,), "int16", "float32")
    step = options_of(node).positive("frame_step")
    if x.rank < 2 or step > x.shape[-1]:
        raise node.invalid(f"adds frames {list(x.shape)} up by {step}", "give frames of at least as many numbers")
    *outer, count, size = x.shape
    frames, rest = reshape(x.value, [prod(outer), count, size]), size - step
    if rest == 0:
        return reshape(frames, [*outer, count * step])
    state = node.own_state(_HISTORY, [prod(outer), rest], x.dtype)

    def added(kept: Value, frame: Value) -> tuple[Value, Value]:
        total = _saturated_sum(pad(kept, [0, 0], [0, step]), frame)
        return take(total, 1, 0, step), take(total, 1, step, rest)

    if count == 1:
        part, state = added(state, reshape(frames, [prod(outer), size]))
        node.keep_own(_HISTORY, state)
        return reshape(part, [*outer, step])

    def body(_: Builder, carried: Values, slices: Values, __: Values) -> tuple[Sequence[Value], Sequence[Value]]:
        part, kept = added(carried[0], slices[0])
        return [kept], [part]

    by_frame = emit(graph.TransposeOp, frames, perm=[1, 0, 2])
    (state,), (parts,) = scan(node.builder, node.name, body, carried=[state], scanned=[by_frame], steps=count)
    node.keep_own(_HISTORY, state)
    return reshape(emit(graph.TransposeOp, parts, perm=[1, 0, 2]), [*outer, count * step])


def _saturated_sum(a: Value, b: Value) -> Value:
    if a.is_float:
        return a + b
    return cast(clamp(cast(a, I32) + cast(b, I32), -(2**15), 2**15 - 1), _I16)


def _circular_buffer(node: Node) -> Value:
    """The last rows of a stream: the oldest is dropped, the input is the newest one.

    The reference stops the network until `cycles_max` rows have come in; here the network runs for each row.
    """
    x, y = node.input(0), node.output_type()
    require_kinds(node, (x,), "int8")
    cycles = options_of(node).integer("cycles_max") if node.info.custom_options else 0
    if cycles != 1:
        fact = f"stops the network in all but one of {cycles} runs" if cycles > 1 else "has no option cycles_max"
        raise node.unsupported(fact, "give cycles_max 1, and run what follows as a network of its own when it is due")
    if x.rank != 4 or x.shape[1] != 1 or len(y.shape) != 4 or y.shape[1] < 1:
        raise node.invalid(f"keeps rows {list(x.shape)} in {list(y.shape)}", "give [1, 1, n, m] and [1, rows, n, m]")
    zero = y.quant.zero_point[0] if y.quant is not None else 0
    if y.shape[1] == 1:
        return x.value
    kept = node.own_state(_HISTORY, [1, y.shape[1] - 1, *y.shape[2:]], x.dtype, int(zero))
    rows = concat([kept, x.value], 1)
    node.keep_own(_HISTORY, take(rows, 1, 1, y.shape[1] - 1))
    return rows


IMPORTERS: Mapping[str, Importer] = {
    "CIRCULAR_BUFFER": _circular_buffer,
    "SignalDelay": _delay,
    "SignalFramer": _framer,
    "SignalOverlapAdd": _overlap_add,
    "SignalStacker": _stacker,
}
