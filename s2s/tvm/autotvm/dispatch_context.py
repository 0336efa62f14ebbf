"""The base of contexts that tell templates their configurations, and the context that tells one to all of them.

A program's own context overrides `_query_inside`, and `update` where it wants to:

    class Mine(autotvm.task.DispatchContext):
        def _query_inside(self, target, workload):
            return configurations.get(workload)     # None: the context around is asked
"""

from collections.abc import Sequence
from typing import Any

from s2s.decisions import dispatch
from s2s.decisions.dispatch import contexts_in_effect
from s2s.decisions.records import Record
from s2s.errors import UnsupportedError
from s2s.tvm.autotvm.config import Config, ConfigEntity
from s2s.tvm.autotvm.space import FallbackConfigEntity


class DispatchContext(dispatch.DispatchContext):
    """A context that is asked for the configuration of a template. Networks take records alone, and refuse others."""

    def records_for_networks(self) -> tuple[Record, ...]:
        """Refuse: a network asks no questions while it is compiled."""
        fact = "a network takes records, and asks no context of a program"
        raise UnsupportedError(f"autotvm.{type(self).__name__}: {fact}; build it outside, or in ApplyHistoryBest")

    def _query_inside(self, target: object, workload: Sequence[Any]) -> Config | None:
        """Return the configuration of the task whose `workload` this is; None where this context knows none."""
        raise NotImplementedError(f"{type(self).__name__}._query_inside: is not defined; define it in the class")

    def query(self, target: object, workload: Sequence[Any]) -> Config:
        """Return the configuration of a task, of this context or of one around it; the fallback where none knows."""
        config = self._query_inside(target, workload)
        return configuration(target, workload, _around(self)) if config is None else config

    def update(self, target: object, workload: Sequence[Any], cfg: ConfigEntity) -> None:
        """Let a task have a configuration from now on."""
        raise NotImplementedError(f"{type(self).__name__}.update: is not defined; define it in the class")


def _around(context: DispatchContext) -> Sequence[dispatch.DispatchContext]:
    """The contexts around one; all contexts in effect where it is not entered."""
    if context.hides_outer:
        return ()
    contexts = contexts_in_effect()
    places = [place for place, other in enumerate(contexts) if other is context]
    return contexts[places[-1] + 1 :] if places else contexts


def configuration(
    target: object, workload: Sequence[Any], contexts: Sequence[dispatch.DispatchContext] | None = None
) -> Config:
    """Return the configuration of a task that the innermost context which knows one tells; the fallback where none."""
    for context in contexts_in_effect() if contexts is None else contexts:
        if isinstance(context, DispatchContext):
            config = context._query_inside(target, workload)  # pyright: ignore[reportPrivateUsage] TVM's name
            if config is not None:
                return config
    return FallbackConfigEntity()


class ApplyConfig(DispatchContext):
    """A context that gives one configuration to every template inside of it."""

    def __init__(self, config: ConfigEntity) -> None:
        super().__init__()
        self.config = config

    def _query_inside(self, target: object, workload: Sequence[Any]) -> ConfigEntity:
        return self.config

    def update(self, target: object, workload: Sequence[Any], cfg: ConfigEntity) -> None:
        """Let every template have another configuration."""
        self.config = cfg
