"""A Python environment that has exactly the packages that an installation of s2s with some extras has.

Nothing is downloaded: the packages are links to those that are installed here, chosen by what the project and its
dependencies ask for. What the tests have beside these, such as scikit-learn, cannot be imported in there.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.project import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def bare_environment(folder: Path, extras: frozenset[str]) -> Path:
    """Make an environment in `folder`, and return its Python; `s2s` is that of the checkout."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "checkout.pth").write_text(f"{ROOT}\n")
    for name in distributions(extras):
        _link(metadata.distribution(name), site)
    return folder / "bin" / "python"


@cache
def distributions(extras: frozenset[str]) -> frozenset[str]:
    """The distributions that s2s with some extras needs, and what these need, by their canonical names."""
    asked = [*PROJECT["dependencies"], *(each for extra in extras for each in PROJECT["optional-dependencies"][extra])]
    names: dict[str, frozenset[str]] = {}
    waiting = [Requirement(each) for each in asked]
    while waiting:
        requirement = waiting.pop()
        name, wanted = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (requirement.marker and not requirement.marker.evaluate({"extra": ""})) or names.get(name) == wanted:
            continue
        names[name] = wanted | names.get(name, frozenset())
        waiting.extend(_needs(name, names[name]))
    return frozenset(names)


def _needs(name: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """What a distribution asks for, with some of its extras; the markers are decided."""
    for text in metadata.requires(name) or ():
        requirement = Requirement(text)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": each}) for each in ("", *extras)):
            requirement.marker = None
            yield requirement


def _link(distribution: metadata.Distribution, site: Path) -> None:
    """Link the files and packages of a distribution; a namespace that several share is a folder of links."""
    for file in distribution.files or ():
        source = Path(str(distribution.locate_file("")))
        for part in file.parts:
            source /= part
            target = site / source.relative_to(Path(str(distribution.locate_file(""))))
            if part in {"..", "__pycache__"} or target.is_symlink():
                break
            if source.is_dir() and not (source / "__init__.py").exists() and not part.endswith((".dist-info", ".libs")):
                target.mkdir(exist_ok=True)
                continue
            target.symlink_to(source)
            break
