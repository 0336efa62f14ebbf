"""The result of every frontend: a network at graph level."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from s2s.types.weights import WeightStore


class Origin(NamedTuple):
    """The origin of a network, for reports only."""

    format: str
    producer: str
    ir_version: int
    opsets: Mapping[str, int]
    nodes: int


class Imported(NamedTuple):
    """A network at graph level: `@main` of `module`, the values of its weights, its name and origin."""

    module: ModuleOp
    weights: WeightStore
    name: str
    origin: Origin
