"""PyTorch: programs of `torch.export` to modules of graph operations.

`capture.py` turns an exported program into plain records (`program.py`); the importers read these alone and never see
an object of torch. torch itself is imported when a model is captured, not before; the importers when they are first
asked for, so that models of other formats do not wait for them.
"""

import importlib
from typing import TYPE_CHECKING

from s2s.frontends.torch.load import LoadedModel, is_torch, load_model

if TYPE_CHECKING:
    from s2s.frontends.torch.capture import export
    from s2s.frontends.torch.engine import open_program
    from s2s.frontends.torch.importer import import_model
    from s2s.frontends.torch.sizes import varying_sizes

__all__ = ["LoadedModel", "export", "import_model", "is_torch", "load_model", "open_program", "varying_sizes"]

if not TYPE_CHECKING:  # a checker would take every submodule for an object
    _LATE = {"export": "capture", "import_model": "importer", "open_program": "engine", "varying_sizes": "sizes"}

    def __getattr__(name: str) -> object:
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
