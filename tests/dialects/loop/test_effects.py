"""An operation of `loop` that lists its accesses writes the buffers that it lists, and no others."""

import pytest
from xdsl.traits import MemoryEffect, MemoryWriteEffect

from s2s.dialects.loop import Loop
from s2s.dialects.loop.interfaces import AccessInterface

LISTING = [op for op in Loop.operations if issubclass(op, AccessInterface)]


@pytest.mark.parametrize("kind", LISTING, ids=lambda kind: kind.name)
def test_effects_on_buffers_are_the_accesses(kind: type[AccessInterface]):
    names = {type(trait).__name__ for trait in kind.get_traits_of_type(MemoryEffect)}
    assert "AccessEffects" in names
    assert MemoryWriteEffect.__name__ not in names, "an effect without a buffer is one on all of them"
