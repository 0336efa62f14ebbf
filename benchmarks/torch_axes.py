# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Which axes of which overloads of ATen may have a size that is given at run time: exported, compiled, run, compared.

    python -m benchmarks.torch_axes [--only add.Tensor cumsum.default …] [--page docs]

Of each overload that is supported and takes tensors one call is exported once for each axis of its first tensor, with
`torch.export.Dim` for its size, and for equal sizes of the other tensors. What is accepted runs at four sizes, and the
results are compared with those of torch. The exit code is 1 if anything differs. `--page` writes `torch_axes.json` into
a folder, of which `docs/generate.py` makes a part of the page of PyTorch.
"""

import argparse
import json
import logging
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.utils import _pytree as pytree

from docs.torch_axes import FIXED, RUNS
from s2s import api
from s2s.errors import S2SError
from s2s.frontends import torch as frontend
from s2s.frontends.torch.core import core_overloads
from s2s.frontends.torch.table import importer_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.torch_operators import CASES, Operators
from support.torch_varying import PROGRAMS

WAYS = ("aligned", "all", "alone")
MIN_SIZE = 3
MORE = 8
"""How much greater than the call's size the greatest size is."""
TOLERANCE = 1e-4
LINE = re.compile(r" \(\w+\.py:\d+\)")
"""The line of the call in the place of a refusal."""


class Call(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *tensors: Tensor) -> Any:
        return self.function(*tensors)


class Case(NamedTuple):
    """A call of an overload."""

    module: nn.Module
    tensors: Sequence[Tensor]


def case_of(name: str) -> Case | None:
    """The call of an overload: one of `PROGRAMS`, or the one of `CASES` whose first tensor has most dimensions."""
    torch.manual_seed(0)
    if name in PROGRAMS:
        function, tensors = PROGRAMS[name]()
        return Case(Call(function).eval(), tensors)
    found = [Operators([(name, arguments)]) for arguments in CASES.get(name, list)()]
    found = [each for each in found if each.inputs]
    if not found:
        return None
    module = max(found, key=lambda each: each.inputs[0].ndim)
    return Case(module.eval(), module.inputs)


def overloads() -> list[str]:
    """The overloads that are listed: the supported ones of the core, and the ones that are imported whole."""
    core = [name for name in core_overloads() if importer_of(f"aten.{name}") is not None]
    return sorted({*core, *PROGRAMS})


def _open_axes(tensors: Sequence[Tensor], axis: int, way: str) -> list[list[int]]:
    """The axes of each tensor that have the size of `axis` of the first one: that which broadcasting aligns with it,
    all that are as long, or none."""
    first, size = tensors[0], tensors[0].shape[axis]
    found = [[axis]]
    for each in tensors[1:]:
        equal = [number for number in range(each.ndim) if each.shape[number] == size]
        aligned = axis - first.ndim + each.ndim
        found.append([number for number in equal if way == "all" or (way == "aligned" and number == aligned)])
    return found


def _at(tensor: Tensor, axes: Sequence[int], size: int) -> Tensor:
    """`tensor` with `size` elements along `axes`: repeated, floats a little larger each time."""
    for axis in axes:
        count = tensor.shape[axis]
        places = torch.arange(size)
        tensor = tensor.index_select(axis, places % count)
        if tensor.is_floating_point():
            growth = 1 + 0.02 * (places // count)
            tensor = tensor * growth.reshape([-1 if dim == axis else 1 for dim in range(tensor.ndim)])
    return tensor


def outcome(case: Case, axis: int) -> str:
    """What becomes of a varying size of `axis`: `runs`, `refused: …`, `wrong at N=…: …`, or `FIXED`."""
    found: list[str] = []
    known: list[list[list[int]]] = []
    for way in WAYS:
        axes = _open_axes(case.tensors, axis, way)
        if axes not in known:
            known.append(axes)
            found.append(_outcome(case, axes))
        if found[-1] == RUNS or found[-1].startswith("wrong"):
            return found[-1]
    return next((each for each in found if each != FIXED), FIXED)


def _outcome(case: Case, axes: Sequence[Sequence[int]]) -> str:
    least = case.tensors[0].shape[axes[0][0]]
    if not _runs(case, [_at(tensor, each, least + 2) for tensor, each in zip(case.tensors, axes, strict=True)]):
        return FIXED
    sizes = (least, least + 1, least + MORE // 2 + 1, least + MORE)
    size = Dim("N", min=least, max=least + MORE)
    shapes = tuple(dict.fromkeys(each, size) for each in axes)
    example = [_at(tensor, each, least + 2) for tensor, each in zip(case.tensors, axes, strict=True)]
    try:
        exported = frontend.export(case.module, example, None, {"tensors": shapes})
    except S2SError:
        return FIXED
    try:
        with api.compile(exported, target="c") as artifact:
            for each in sizes:
                given = [_at(tensor, opened, each) for tensor, opened in zip(case.tensors, axes, strict=True)]
                reason = _difference(artifact, case, given)
                if reason:
                    return f"wrong at N={each}: {reason}"
    except S2SError as error:
        return f"refused: {LINE.sub('', ' '.join(str(error).split()))}"
    except Exception as error:  # an internal error is reported with its place in the list
        return f"wrong: {type(error).__name__}: {error}"
    return RUNS


def _runs(case: Case, given: Sequence[Tensor]) -> bool:
    """Whether torch computes the call of these tensors."""
    try:
        with torch.no_grad():
            case.module(*given)
    except (RuntimeError, ValueError, IndexError):
        return False
    return True


def _difference(artifact: Any, case: Case, given: Sequence[Tensor]) -> str:
    with torch.no_grad():
        wanted, _ = pytree.tree_flatten(case.module(*given))
    ports = artifact.info.inputs
    found = list(artifact.run({port.name: each.numpy() for port, each in zip(ports, given, strict=True)}).values())
    for ours, theirs in zip(found, wanted, strict=True):
        expected = np.asarray(theirs)
        if ours.shape != expected.shape:
            return f"shape {list(ours.shape)} and {list(expected.shape)}"
        if not np.allclose(ours, expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            return f"off by {np.nanmax(np.abs(ours.astype(np.float64) - expected.astype(np.float64))):.3g}"
    return ""


def survey(only: Sequence[str] = ()) -> Iterator[tuple[str, Case, int, str]]:
    """Yield for each overload and axis what becomes of a varying size."""
    for name in overloads():
        case = case_of(name) if not only or name in only else None
        if case is None:
            continue
        for axis, size in enumerate(case.tensors[0].shape):
            if size >= MIN_SIZE:
                yield name, case, axis, outcome(case, axis)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what becomes of each axis."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="OVERLOAD")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="write torch_axes.json there")
    given = parser.parse_args(arguments)
    logging.getLogger("torch").setLevel(logging.CRITICAL)  # it prints what it does not export
    rows: dict[str, dict[str, Any]] = {}
    wrong = 0
    for name, case, axis, found in survey(given.only):
        print(f"{name:40} axis {axis}  {found}", flush=True)
        row = rows.setdefault(name, {"shape": list(case.tensors[0].shape), "axes": {}})
        row["axes"][str(axis)] = found
        wrong += found.startswith("wrong")
    print(f"{sum(len(row['axes']) for row in rows.values())} axes of {len(rows)} overloads, {wrong} wrong")
    if given.page is not None:
        file = given.page / "torch_axes.json"
        before: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if given.only and file.exists() else {}
        text = json.dumps(dict(sorted({**before, **rows}.items())), indent=1)
        file.write_text(text + "\n", encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
