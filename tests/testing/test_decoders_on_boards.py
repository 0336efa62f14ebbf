"""Decoders on emulated boards give the bits of the host's plain C, whatever C library either has."""

import pytest

from benchmarks.decode_mcu import measure
from s2s.options import Cache
from s2s.testing.decoders import Config
from support.boards import board_or_skip


@pytest.mark.parametrize("board", ["m4", "m55"])
@pytest.mark.parametrize("cache", ["float32", "int8"])
def test_logits_are_those_of_the_host_bit_for_bit(board: str, cache: Cache):
    board_or_skip(f"qemu:{board}")
    found = measure(Config(bits=4, int8_activations=True, layers=1, cache=cache), board, 2)
    assert found.bit_exact
