"""Cut samples into frames that overlap, and compute on one frame after the other: the frames never exist together."""

from collections.abc import Callable

from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import concat, pad, reshape, take
from s2s.frontends.networks import Values, scan


def over_frames(
    x: Value,
    size: int,
    step: int,
    count: int,
    formula: Callable[[Value, Values], tuple[Values, Value]],
    carried: Values,
    name: str,
) -> tuple[Values, Value]:
    """Apply `formula` to `count` frames of `size` samples that begin `step` apart, with the values it carries on;
    return what is carried out of the last one, and the results, stacked in front.

    Beside them, the samples that the next frame has too are carried: `x` is read once, `step` samples at a time.
    """
    overlap = size - step
    rest = x.shape[0] - max(overlap, 0)
    body = pad(take(x, 0, max(overlap, 0), rest), [0], [count * step - rest]) if rest != count * step else None
    rows = reshape(take(x, 0, max(overlap, 0), rest) if body is None else body, [count, step])
    begin = [take(x, 0, 0, overlap)] if overlap > 0 else []

    def on_frame(_: Builder, values: Values, slices: Values, __: Values) -> tuple[Values, Values]:
        row = slices[0]
        frame = concat([values[0], row], 0) if overlap > 0 else take(row, 0, 0, size)
        state, result = formula(frame, values[len(begin) :])
        kept = [take(frame, 0, step, overlap)] if overlap > 0 else []
        return [*kept, *state], [result]

    last, (results,) = scan(x.builder, name, on_frame, carried=[*begin, *carried], scanned=[rows], steps=count)
    return last[len(begin) :], results
