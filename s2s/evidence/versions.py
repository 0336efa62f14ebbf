"""State the versions of programs, the digests of files, and the bill of materials."""

import hashlib
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path

from s2s.artifact import Artifact
from s2s.emit.sbom import FILE
from s2s.errors import ToolchainError
from s2s.evidence.compilers import COMPILERS
from s2s.evidence.conditions import clang_with_conditions
from s2s.evidence.document import Document, Table
from s2s.verify.toolchain import compiler_version, run_program

PACKAGES = ("numpy", "onnx", "xdsl", "pycparser")
"""Packages of Python that decide on what is computed here."""


def versions_document(artifact: Artifact, tree: Path) -> Document:
    """The document about the programs that took part, and each file of the tree."""
    info = artifact.info
    versions = {"s2s": info.version, "Python": platform.python_version(), **_packages(), **_programs()}
    digests = {path.relative_to(tree).as_posix(): digest(path) for path in sorted(tree.rglob("*")) if path.is_file()}
    options = {name: str(value) for name, value in artifact.tree().record.get("options", {}).items()}
    return Document(
        "versions",
        "Versions and digests",
        f"s2s {info.version}; model {info.source}, SHA-256 {info.sha256}; {len(digests)} files",
        ("The same model, options and versions give the same bytes of the tree.",),
        (
            Table("Versions", ("program", "version"), tuple(versions.items())),
            Table("Options that are not the default", ("option", "value"), tuple(options.items())),
            Table("Files of the tree", ("file", "SHA-256"), tuple(digests.items())),
        ),
    )


def bill_document(artifact: Artifact) -> Document:
    """The document about the parts of the tree, with the bill of materials."""
    info = artifact.info
    parts = ((info.source, "machine-learning-model", info.sha256), ("s2s runtime", "library", info.version))
    return Document(
        "sbom",
        "Software bill of materials",
        "CycloneDX 1.6: the network, its model with a model card, and the runtime",
        ("The tree needs the C library and nothing else. The bill is the tree's own, byte for byte.",),
        (Table("Components", ("name", "kind", "version or SHA-256"), parts),),
        {FILE: artifact.tree().text(FILE)},
    )


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _packages() -> Mapping[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in PACKAGES}


def _programs() -> Mapping[str, str]:
    programs = {name: compiler_version((name,)) for name in COMPILERS if shutil.which(name)}
    for name in ("gcov", "cppcheck"):
        try:
            programs[name] = run_program([name, "--version"]).partition("\n")[0]
        except ToolchainError:
            programs[name] = "not installed"
    clang = clang_with_conditions()
    return programs if clang is None else {**programs, clang[0]: compiler_version((clang[0],))}
