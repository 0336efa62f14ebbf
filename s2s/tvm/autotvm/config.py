"""What a template declares and is given: a space of configurations, and one configuration of it.

    cfg = get_config()
    cfg.define_split("tile_x", x, num_outputs=2)      in a ConfigSpace: declares a knob
    xo, xi = cfg["tile_x"].apply(s, C, x)             in a ConfigEntity: obeys its value

A template runs once with a `ConfigSpace`, which notes the knobs, and then with a `ConfigEntity` for each measurement.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from s2s.errors import InputError
from s2s.tvm.autotvm.knobs import Entity, SplitEntity, annotate_values, entity_of, reorder_values, split_values
from s2s.tvm.te import IterVar
from s2s.tvm.te.sizes import size_of


class VirtualAxis(IterVar):
    """A loop that stands for one that the schedule has not made yet."""

    def __init__(self, extent: int, name: str = "axis") -> None:
        super().__init__(extent, name)


class Config:
    """The methods that templates call, and the value of each knob.

    `define_…` declare a knob where the configuration is open, and do nothing where it is given.
    """

    is_fallback = False
    """Whether nothing was measured: the values are the first ones of each knob."""

    def __init__(self) -> None:
        self.flop = 0
        self.errors: list[str] = []
        self.entities: dict[str, Entity] = {}

    def __getitem__(self, name: str) -> Any:
        """The value of a knob."""
        if name not in self.entities:
            known = ", ".join(self.entities) or "none"
            raise InputError(f"autotvm: knob {name!r} has no value; the knobs are {known}")
        return self.entities[name]

    def __contains__(self, name: str) -> bool:
        return name in self.entities

    @staticmethod
    def axis(var: IterVar | int) -> IterVar:
        """A loop for `define_…`: one of a schedule, or a number of steps."""
        return var if isinstance(var, IterVar) else VirtualAxis(var)

    reduce_axis = axis

    def define_split(
        self,
        name: str,
        axis: IterVar | int,
        policy: str = "factors",
        *,
        num_outputs: int = 2,
        filter: Callable[[SplitEntity], bool] | None = None,
        max_factor: int | None = None,
        no_tail: bool | None = None,
        candidate: Sequence[Sequence[int]] | None = None,
    ) -> list[VirtualAxis]:
        """Declare how a loop is split into `num_outputs` loops; returns loops that stand for them."""
        extent = size_of(self.axis(axis).extent, {})
        self._declare(
            name,
            lambda: split_values(
                extent,
                num_outputs,
                policy=policy,
                max_factor=max_factor,
                no_tail=no_tail,
                keep=filter,
                candidate=candidate,
            ),
        )
        sizes = self._split_sizes(name, extent, num_outputs)
        return [VirtualAxis(size, f"{name}.{number}") for number, size in enumerate(sizes)]

    def define_reorder(
        self,
        name: str,
        axes: Sequence[IterVar],
        policy: str = "all",
        *,
        spatial: Sequence[Sequence[IterVar]] = (),
        reduce: Sequence[Sequence[IterVar]] = (),
        interval: tuple[int, int] | None = None,
        candidate: Sequence[Sequence[int]] | None = None,
    ) -> list[IterVar]:
        """Declare in which order some loops run."""
        places = {id(each): number for number, each in enumerate(axes)}
        chains = [[[places[id(each)] for each in chain] for chain in listed] for listed in (spatial, reduce)]
        self._declare(
            name,
            lambda: reorder_values(
                len(axes), policy=policy, interleave=(chains[0], chains[1]), interval=interval, candidate=candidate
            ),
        )
        return list(axes)

    def define_annotate(self, name: str, axes: Sequence[IterVar], policy: str) -> list[IterVar]:
        """Declare which loops are unrolled or run in vectors."""
        self._declare(name, lambda: annotate_values(len(axes), policy))
        return list(axes)

    def define_knob(self, name: str, candidate: Sequence[Any]) -> None:
        """Declare a choice whose values only the template knows."""
        self._declare(name, lambda: [entity_of("ot", each) for each in candidate])

    def add_flop(self, flop: int) -> None:
        """Add to the number of operations that the function carries out, from which GFLOP/s are computed."""
        self.flop += int(flop)

    def valid(self) -> bool:
        """Return whether the template has found no fault with the configuration."""
        return not self.errors

    def raise_error(self, msg: str) -> None:
        """Note a fault that the template finds with the configuration: it is not compiled."""
        self.errors.append(msg)

    def _declare(self, name: str, values: Callable[[], list[Entity]]) -> None:
        """Note a knob where the configuration is open."""

    def _split_sizes(self, name: str, extent: int, count: int) -> list[int]:
        given = self.entities.get(name, SplitEntity((-1,) + (1,) * (count - 1))).value
        inner = [int(each) for each in given[1:]]
        return [-(-extent // max(prod(inner), 1)), *inner]


class ConfigEntity(Config):
    """One configuration: a value for each knob."""

    def __init__(self, index: int, entities: Mapping[str, Entity], code_hash: str | None = None) -> None:
        super().__init__()
        self.index, self.code_hash = index, code_hash
        self.entities = dict(entities)

    def to_json_dict(self) -> dict[str, Any]:
        """The configuration as lines of a log keep it."""
        listed = [[name, each.kind, each.value] for name, each in self.entities.items()]
        return {"index": self.index, "code_hash": self.code_hash, "entity": listed}

    @staticmethod
    def from_json_dict(fields: Mapping[str, Any]) -> "ConfigEntity":
        """The configuration that a line of a log keeps."""
        try:
            entities = {str(name): entity_of(str(kind), value) for name, kind, value in fields["entity"]}
            return ConfigEntity(int(fields.get("index", 0)), entities, fields.get("code_hash"))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"a log of AutoTVM: config: {error!r}; give index and entity") from error

    @property
    def text(self) -> str:
        """The configuration as records keep it."""
        return json.dumps(self.to_json_dict(), ensure_ascii=False)

    def get_flatten_feature(self) -> list[float]:
        """Numbers that describe the configuration."""
        return [number for each in self.entities.values() for number in each.features]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={each.value}" for name, each in self.entities.items())
        return f"{values},{self.index}"
