"""Rotary position embeddings: pairs of elements rotated by an angle that grows with their position."""

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import concat, reshape, take


def rotated(x: Value, cosines: Value, sines: Value, positions: Value, *, interleaved: bool) -> Value:
    """`x[B, N, S, H]` with its first elements rotated by the rows `positions[B, S]` (or `[1, S]`) of the two tables
    `[…, half]`; pairs are neighbours if `interleaved`, else half of the rotated elements apart."""
    half, (length, size) = cosines.shape[-1], x.shape[2:]
    cos, sin = (
        reshape(emit(graph.GatherOp, table, positions, axis=0), [positions.shape[0], 1, length, half])
        for table in (cosines, sines)
    )
    rotated, rest = take(x, 3, 0, 2 * half), take(x, 3, 2 * half, size - 2 * half)
    pairs = [*x.shape[:3], half, 2] if interleaved else [*x.shape[:3], 2, half]
    axis = 4 if interleaved else 3
    split = reshape(rotated, pairs)
    real, imaginary = (reshape(take(split, axis, part, 1), [*x.shape[:3], half]) for part in (0, 1))
    made = [real * cos - imaginary * sin, real * sin + imaginary * cos]
    shape = [1 if dim == axis else each for dim, each in enumerate(pairs)]
    y = reshape(concat([reshape(each, shape) for each in made], axis), rotated.shape)
    return y if size == 2 * half else concat([y, rest], 3)
