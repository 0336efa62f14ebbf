"""Targets that are external code generators: `cmsis-nn, c -mcpu=cortex-m55`."""

from typing import Any

from s2s.external.registry import codegens
from s2s.tvm.driver.tvmc.errors import TVMCException


def get_codegen_names() -> list[str]:
    """Return the names of the generators that there are."""
    return list(codegens())


def get_codegen_by_target(name: str) -> dict[str, Any]:
    """Return what is known of a generator: it has no key of a configuration, and chooses its parts in the build."""
    if name not in codegens():
        raise TVMCException(f"{name}: Composite target {name} is not defined in TVMC; give {', '.join(codegens())}")
    return {"config_key": None, "pass_pipeline": None}


__all__ = ["get_codegen_by_target", "get_codegen_names"]
