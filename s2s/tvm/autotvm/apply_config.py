"""A context that gives one configuration to every template, however many other contexts are around."""

from collections.abc import Sequence
from typing import Any

from s2s.decisions.dispatch import DispatchContext
from s2s.tvm.autotvm.config import ConfigEntity


class ApplyConfig(DispatchContext):
    """A context that gives one configuration to every template inside of it."""

    def __init__(self, config: ConfigEntity) -> None:
        super().__init__()
        self.config = config

    def query(self, target: object, workload: Sequence[Any]) -> ConfigEntity:
        """Return the configuration that every template has."""
        return self.config
