"""Decoders on emulated boards give the bits of the host's plain C, whatever C library either has."""

from dataclasses import replace

import pytest

from benchmarks.decode_mcu import measure
from s2s.options import CacheType
from s2s.testing.decoders import SIZES, Config
from support.boards import board_or_skip


@pytest.mark.parametrize("board", ["m4", "m55"])
@pytest.mark.parametrize("cache", ["float32", "int8"])
def test_logits_are_those_of_the_host_bit_for_bit(board: str, cache: CacheType):
    board_or_skip(f"qemu:{board}")
    found = measure(Config(bits=4, int8_activations=True, layers=1, cache=cache), board, 2)
    assert found.bit_exact


@pytest.mark.parametrize(
    ("board", "bits", "most"),
    [("m4", 4, 3_200_000), ("m4", 8, 2_900_000), ("m55", 4, 1_450_000), ("m55", 8, 1_260_000)],
)
def test_blocks_are_multiplied_by_the_instructions_of_the_core(board: str, bits: int, most: int):
    """In plain C, a token takes 4.7 and 4.5 million instructions on Cortex-M4, 4.2 and 3.9 on Cortex-M55."""
    board_or_skip(f"qemu:{board}")
    found = measure(replace(SIZES["1M"], bits=bits, int8_activations=True), board, 1)
    assert found.bit_exact
    assert found.figures()["instructions"] < most
