"""Assign each buffer an offset in one arena.

The first attempt gives a buffer computed in place the block of its input; if it misses the bound, a second attempt
gives every buffer its own block. If kernels permit partial overlaps of outputs and inputs, a separate search follows.
"""

from collections.abc import Sequence

from s2s.memory.blocks import Layout, layout_of, merge_in_place, total_size
from s2s.memory.buffers import (
    Buffer,
    InPlace,
    Overlap,
    Plan,
    check_buffers,
    choose_in_place,
    lower_bound,
    overlapped_bound,
)
from s2s.memory.search import best_offsets
from s2s.memory.slide import WORK, slide


def plan(
    buffers: Sequence[Buffer],
    in_place: Sequence[InPlace] = (),
    overlaps: Sequence[Overlap] | None = None,
    *,
    work: int = WORK,
) -> Plan:
    """Return the smallest plan found for `buffers`. A pair of `in_place` may share its address, a pair of `overlaps`
    bytes as far as it permits; no other live bytes are shared. `overlaps` includes the permissions of `in_place`; None
    means that there are none. `work` limits the search among overlaps."""
    check_buffers(buffers, [*in_place, *(overlaps or ())])
    found = _plan_in_place(buffers, in_place)
    if overlaps is None:
        return found
    bound = overlapped_bound(buffers, overlaps)
    if found.size > bound:
        offsets, size = slide(buffers, overlaps, bound, work)
        if size < found.size:
            return Plan(offsets, size, bound, lower_bound(buffers))
    return Plan(found.offsets, found.size, bound, lower_bound(buffers))


def _plan_in_place(buffers: Sequence[Buffer], in_place: Sequence[InPlace]) -> Plan:
    bound = lower_bound(buffers, in_place)
    chosen = choose_in_place(buffers, in_place)
    layout = layout_of(merge_in_place(buffers, chosen))
    offsets = best_offsets(layout)
    if chosen and total_size(layout, offsets) > layout.bound:
        apart = layout_of(merge_in_place(buffers, ()))
        apart_offsets = best_offsets(apart)
        if total_size(apart, apart_offsets) < total_size(layout, offsets):
            layout, offsets = apart, apart_offsets
    return Plan(_offsets_by_name(buffers, layout, offsets), total_size(layout, offsets), bound, lower_bound(buffers))


def _offsets_by_name(buffers: Sequence[Buffer], layout: Layout, offsets: Sequence[int]) -> dict[str, int]:
    """Return the offsets of all buffers in their own order; empty buffers get 0."""
    at = {member.name: offset for block, offset in zip(layout.blocks, offsets, strict=True) for member in block.members}
    return {buffer.name: at.get(buffer.name, 0) for buffer in buffers}
