"""Targets that are external code generators: `cmsis-nn, c -mcpu=cortex-m55`."""

from typing import Any, NoReturn

from s2s.errors import UnsupportedError
from s2s.external.registry import codegens
from s2s.tvm.driver.tvmc.errors import TVMCException


def get_codegen_names() -> list[str]:
    """Return the names of the generators that there are."""
    return list(codegens())


def get_codegen_by_target(name: str) -> dict[str, Any]:
    """Return what is known of a generator: it has no key of a configuration, and a pipeline that refuses modules, as
    generators choose their parts in a build."""
    if name not in codegens():
        raise TVMCException(f"{name}: Composite target {name} is not defined in TVMC; give {', '.join(codegens())}")

    def pass_pipeline(mod: object, *_: object, **__: object) -> NoReturn:
        raise UnsupportedError(f"{name}: its parts are chosen in relay.build; give external={name!r} to it")

    return {"config_key": None, "pass_pipeline": pass_pipeline}


__all__ = ["get_codegen_by_target", "get_codegen_names"]
