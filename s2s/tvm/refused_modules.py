"""Modules of TVM that there are not, each with the reason and the way out: whoever imports one is told."""

from collections.abc import Mapping

_TUNER = "schedules are decisions that one tuner searches; use tvm.autotvm, or `s2s tune`"
_ARGUMENTS = "the arguments of `s2s tvmc` are declared with the command; call tvmc.compile, run or tune with keywords"
_GENERATORS = "external code generators are registered by s2s; see `relay.build(external=...)`"

REFUSED_MODULES: Mapping[str, str] = {
    "auto_scheduler": _TUNER,
    "meta_schedule": _TUNER,
    "contrib.download": "models are not downloaded; give a file",
    "contrib.target": _GENERATORS,
    "driver.tvmc.composite_target": _GENERATORS,
    "driver.tvmc.config_options": _ARGUMENTS,
    "driver.tvmc.micro": "projects are written by `s2s export`, and boards driven by `s2s verify --on`",
    "driver.tvmc.pass_config": _ARGUMENTS,
    "driver.tvmc.project": "projects are written by `s2s export`, and boards driven by `s2s verify --on`",
    "driver.tvmc.registry": _ARGUMENTS,
    "driver.tvmc.target": _ARGUMENTS,
    "driver.tvmc.transform": "layouts and types are chosen by relay.build; give a model of the wanted types",
    "driver.tvmc.workspace_pools": _ARGUMENTS,
    "relay.op.contrib": _GENERATORS,
}
"""By their paths in the package; what is inside of one is refused with it."""


def refusal_of(path: str) -> str | None:
    """Return why a module is refused; None where it is not, or where nobody knows it."""
    parts = path.split(".")
    prefixes = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((REFUSED_MODULES[each] for each in prefixes if each in REFUSED_MODULES), None)
