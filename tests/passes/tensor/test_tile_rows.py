"""Chains of kernels in row tiles give the numbers of whole images."""

from s2s.api import compile as compile_network
from support.decided_networks import bottleneck


def test_row_tiles_do_not_reach_beyond_images_with_more_rows_than_columns():
    """A register tile along rows straddled the first row of the image where tiles overlap."""
    with compile_network(bottleneck(128, 8), target="x86-64-v3") as artifact:
        (decision,) = [each for each in artifact.decisions if each.kind == "row tiles"]
        assert decision.chosen != "whole images"
        assert artifact.verify().passed
