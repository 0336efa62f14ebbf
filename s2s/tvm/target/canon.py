"""Targets in the forms that functions of TVM take them in, as objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from s2s.errors import WrongValueError
from s2s.tvm.runtime.container import Array

V = TypeVar("V")


class Canon:
    """Makes targets of texts, mappings and lists; `Target` has these functions."""

    host: Any

    if TYPE_CHECKING:

        def __init__(self, target: Any) -> None: ...

        def with_host(self, host: Any = None) -> Self: ...

        @staticmethod
        def current(allow_none: bool = True) -> Any: ...

    @classmethod
    def canon_target(cls, target: object) -> Self | None:
        """Return a target of what is none yet; None of None."""
        return target if target is None or isinstance(target, cls) else cls(cast("str", target))

    @classmethod
    def canon_target_and_host(cls, target: object, target_host: object = None) -> tuple[Self | None, Self | None]:
        """Return a target that has the host unless it has one, and its host."""
        chosen = cls.canon_target(target)
        if chosen is None:
            assert target_host is None, "Target host is not empty when target is empty."
            return None, None
        if chosen.host is None and target_host is not None:
            chosen = chosen.with_host(cls.canon_target(target_host))
        return chosen, chosen.host

    @classmethod
    def canon_multi_target(cls, multi_targets: object) -> Array | None:
        """Return a list of targets of one, a list of some, or a mapping whose values they are."""
        if multi_targets is None:
            return None
        if isinstance(multi_targets, Mapping) and "kind" not in multi_targets:
            multi_targets = list(cast("Mapping[object, object]", multi_targets).values())
        is_list = isinstance(multi_targets, Sequence) and not isinstance(multi_targets, str)
        targets = cast("Sequence[object]", multi_targets if is_list else [multi_targets])
        return Array(map(cls.canon_target, targets))

    @classmethod
    def canon_multi_target_and_host(cls, target: object, target_host: object = None) -> Array:
        """Return a list of targets that have the host unless the first has one."""
        targets = cls.canon_multi_target(target)
        assert targets, "there is no target"
        if targets[0].host is None and target_host is not None:
            host = cls.canon_target(target_host)
            return Array(target.with_host(host) for target in targets)
        return targets

    @classmethod
    def canon_target_map_and_host(
        cls, target_map: Mapping[Any, V], target_host: object = None
    ) -> tuple[dict[Self, V], Self | None]:
        """Return a mapping whose keys are targets that all have a host, and this host."""
        canonical: dict[Self, V] = {}
        host: Self | None = None
        for text, value in target_map.items():
            target = cls.canon_target(text)
            assert target is not None, "there is no target"
            host = host or target.host or cls.canon_target(target_host)
            if target.host is None and host is not None:
                target = target.with_host(host)
            canonical[target] = value
        return canonical, host

    @classmethod
    def target_or_current(cls, target: Self | None) -> Self:
        """Return the target, or the one of the `with` around."""
        chosen = cls.current() if target is None else target
        if chosen is None:
            raise WrongValueError("target: none is given, and no `with Target(…)` is around; give one")
        return chosen
