"""TVM's references in numpy for `benchmarks.tvm_tests`: its own modules of them, found beside the modules of
`s2s.tvm`."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import cast

NAME = "tvm.topi.testing"
PROCESSORS = ("adreno", "arm_cpu", "bifrost", "cuda", "hexagon", "hls", "intel_graphics", "mali", "rocm", "x86")
"""Modules of TOPI for processors that there are no schedules for."""


class _Finder(MetaPathFinder):
    """Finds the modules of references in a checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a reference; None for every other name."""
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        return PathFinder.find_spec(fullname, [str(self.folder)] if fullname == NAME else path)


class _Schedules(ModuleType):
    """Schedules of a processor, which a table of the references names, and no test of an operator calls."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def _reshaping(reshape: Callable[..., object]) -> Callable[..., object]:
    """`numpy.reshape` that takes its shape by the name that it had in numpy 1."""

    def renamed(
        a: object, shape: object = None, *arguments: object, newshape: object = None, **named: object
    ) -> object:
        return reshape(a, shape if newshape is None else newshape, *arguments, **named)

    return renamed


def add_references(root: Path) -> None:
    """Let tests import TVM's references from the checkout `root`, and modules that look for a GPU, of which there is
    none."""
    import numpy as np

    import s2s.tvm.contrib
    from s2s.tvm import topi
    from s2s.tvm.topi import utils

    np.reshape = _reshaping(np.reshape)
    sys.meta_path.insert(0, _Finder(root / "python" / "tvm" / "topi"))
    gpu, cudnn, pads = (ModuleType(name) for name in ("tvm.contrib.nvcc", "tvm.contrib.cudnn", "tvm.topi.nn.utils"))
    winograd = ModuleType("tvm.topi.cuda.conv3d_winograd")
    winograd.__dict__["_infer_tile_size"] = None
    gpu.__dict__["have_fp16"] = cudnn.__dict__["exists"] = bool
    for count, name in ((1, "get_pad_tuple1d"), (2, "get_pad_tuple"), (3, "get_pad_tuple3d")):
        pads.__dict__[name] = _padding(count)
    utils.__dict__.setdefault("nchw_pack_layout", _is_packed)
    for name in PROCESSORS:
        topi.__dict__[name] = _Schedules(f"tvm.topi.{name}")
    s2s.tvm.contrib.__dict__["cudnn"] = cudnn
    sys.modules.update({each.__name__: each for each in (gpu, cudnn, pads, winograd)})
    sys.modules["tvm.topi.cuda"] = topi.__dict__["cuda"]


def _is_packed(layout: str) -> bool:
    return "n" in layout and "c" in layout


def _padding(count: int) -> object:
    def padding_of(padding: object, kernel: Sequence[int]) -> tuple[int, ...]:
        """Padding before each of the axes, then behind each."""
        if padding in ("VALID", "SAME"):
            whole = [0 if padding == "VALID" else size - 1 for size in kernel]
            before = [(each + 1) // 2 for each in whole]
            return (*before, *(each - half for each, half in zip(whole, before, strict=True)))
        given = [padding] if isinstance(padding, int) else list(cast("Sequence[int]", padding))
        if len(given) == 2 * count:
            return tuple(given)
        before = given * count if len(given) == 1 else given
        return (*before, *before)

    return padding_of
