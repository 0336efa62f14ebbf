"""What holds for all of AutoTVM in this process: whether a tuner measures, and whether warnings are told."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar


class AutotvmGlobalScope:
    """`in_tuning` is true while a tuner measures; `silent` holds back the warnings about lines of logs."""

    current: ClassVar["AutotvmGlobalScope | None"] = None
    """The last one that was made, or that `reset_global_scope` was given."""

    def __init__(self) -> None:
        type(self).current = self
        self.in_tuning = False
        self.silent = False

    def deep_copy(self, global_scope: "AutotvmGlobalScope") -> None:
        """Take over the state of another scope."""
        self.in_tuning, self.silent = global_scope.in_tuning, global_scope.silent


GLOBAL_SCOPE = AutotvmGlobalScope()


def reset_global_scope(global_scope: AutotvmGlobalScope) -> None:
    """Take over the state of a scope of another process."""
    GLOBAL_SCOPE.deep_copy(global_scope)
    AutotvmGlobalScope.current = global_scope


@contextmanager
def tuning() -> Generator[None]:
    """Say in the scope of the process that a tuner measures, as long as the block lasts."""
    before, GLOBAL_SCOPE.in_tuning = GLOBAL_SCOPE.in_tuning, True
    try:
        yield
    finally:
        GLOBAL_SCOPE.in_tuning = before


__all__ = ["AutotvmGlobalScope", "reset_global_scope"]
