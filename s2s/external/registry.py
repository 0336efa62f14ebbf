"""The code generators by name: our own, the ones of installed packages, and the ones that programs register."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from s2s.errors import InputError
from s2s.support.entry_points import entry_points

if TYPE_CHECKING:
    from s2s.external.generator import CodeGenerator

ENTRY_POINTS = "s2s.codegens"
"""The group of entry points of packages that bring generators; each names a class, or a function that makes one."""

_REGISTERED: "dict[str, CodeGenerator]" = {}


def register_codegen(generator: "CodeGenerator") -> None:
    """Let compilations use `generator` by its name; a generator of the same name is replaced."""
    _REGISTERED[generator.name] = generator


def remove_codegen(name: str) -> None:
    """Forget a generator that was registered."""
    if _REGISTERED.pop(name, None) is None:
        raise InputError(f"remove_codegen: {name}: no generator of that name is registered; name one that is")


def codegen_named(name: str, place: str = "--external") -> "CodeGenerator":
    """The generator called `name`; the error about another name begins with `place`, where that stands."""
    known = codegens()
    if name not in known:
        raise InputError(f"{place} {name}: there is no such generator; there are {', '.join(known) or 'none'}")
    return known[name]


def codegens() -> "Mapping[str, CodeGenerator]":
    """All generators by name; generators that programs register come before others of the same name."""
    return {**_built_in(), **_installed(), **_REGISTERED}


@cache
def _built_in() -> "Mapping[str, CodeGenerator]":
    """The generators of this package."""
    from s2s.external.blas import Blas
    from s2s.external.cmsis_nn.generator import CmsisNn
    from s2s.external.onednn.generator import OneDnn

    return {each.name: each for each in (Blas(), CmsisNn(), OneDnn())}


@cache
def _installed() -> "Mapping[str, CodeGenerator]":
    """The generators that installed packages bring."""
    found: dict[str, CodeGenerator] = {}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            made = point.load()()
            found[made.name] = made
        except Exception as error:  # whatever a package of somebody else raises
            raise InputError(
                f"code generator {point.name} ({point.value}): cannot be made ({error!r}); mend or remove the package "
                "that brings it"
            ) from error
    return found
