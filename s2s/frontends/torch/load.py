"""Models of PyTorch: exported programs, files of them, and modules that a Python file makes."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from s2s.errors import InputError
from s2s.frontends.recognition import MAKER, format_of
from s2s.support.frozen import frozen

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from s2s.frontends.torch.program import Program

    ModelSource = str | os.PathLike[str] | ExportedProgram


@frozen
class LoadedModel:
    """An exported program whose tensors nobody else writes to, and the file it came from, if there is one."""

    exported: ExportedProgram
    label: str
    name: str
    path: Path | None = None

    @cached_property
    def decomposed(self) -> ExportedProgram:
        """The program in the operators that are imported."""
        from s2s.frontends.torch.capture import decomposed

        return decomposed(self.exported)

    @cached_property
    def program(self) -> Program:
        """The program as records."""
        from s2s.frontends.torch.capture import capture

        return capture(self.decomposed, self.name)

    def digest(self) -> str:
        """SHA-256 of the file, else of the text of the program and its parameters."""
        if self.path is not None:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        text = hashlib.sha256(str(self.exported.graph).encode())
        for name, (_, array) in self.program.constants.items():
            text.update(name.encode() + array.tobytes())
        return text.hexdigest()


def is_torch(source: object) -> TypeGuard[str | os.PathLike[str] | ExportedProgram]:
    """Whether `source` is a program of torch, a file of one, or a function in a Python file."""
    return format_of(source) == "PyTorch" and not isinstance(source, bytes)


def load_model(source: ModelSource, *, trust: bool = False) -> LoadedModel:
    """The program of a source for which `is_torch` holds; `trust` lets a file run code while it is read.

    A program in memory shares its parameters with a module that may be trained further, so its tensors are copied.
    """
    if not isinstance(source, str | os.PathLike):
        from s2s.frontends.torch.snapshot import snapshot

        return LoadedModel(snapshot(source), "program", "model")
    text = os.fspath(source)
    maker = MAKER.fullmatch(text)
    if maker is not None:
        from s2s.frontends.torch.maker import make

        path = Path(maker["file"])
        return LoadedModel(make(path, maker["name"]), text, path.stem)
    if text.endswith(".py"):
        raise InputError(
            f"{text}: is a file of Python; name its function that returns the module, as in {text}:make_model"
        )
    from s2s.frontends.torch.archive import read_archive

    path = Path(text)
    return LoadedModel(read_archive(path, trust=trust), text, path.stem, path)
