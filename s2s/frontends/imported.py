"""The result of every frontend: a network at graph level."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from s2s.types.weights import WeightStore


@dataclass(frozen=True)
class Origin:
    """The origin of a network, for reports only."""

    format: str
    producer: str
    ir_version: int
    opsets: Mapping[str, int]
    nodes: int


@dataclass(frozen=True)
class Imported:
    """A network at graph level: `@main` of `module`, the values of its weights, its name and origin."""

    module: ModuleOp
    weights: WeightStore
    name: str
    origin: Origin
