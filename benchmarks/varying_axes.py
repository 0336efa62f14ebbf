"""Which axes of which operators of ONNX may have a size that is given at run time: compiled, run, and compared.

    python -m benchmarks.varying_axes [--only Conv Resize …] [--page docs]

Of each operator a case of ONNX's node tests is taken, the one with most dimensions, and each axis of its first operand
of two or more elements is opened in turn, with all axes of other operands that are as long. What is accepted runs at
three sizes, the least one, one between and the greatest, and the results are compared with ONNX's reference
implementation. The exit code is 1 if anything differs. `--page` writes `varying_axes.json` into a folder, of which
`docs/generate.py` makes a page.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from s2s import api
from s2s.errors import S2SError

RUNS = "runs"
"""What is said of an axis that may vary; one that may by steps only `runs by steps of 2`."""
STEPS = re.compile(r"--dim \w+=\w+\.\.\w+:\+(\d+)")
"""How messages advise steps."""
ADVICE = ("let N begin there", "give a greater least size", "at the least sizes; give greater ones")
"""What messages advise where greater sizes may vary."""
WAYS = ("aligned", "all", "alone", "labels")
MIN_SIZE = 2
LONGER = 3
TOLERANCE = 1e-4
MAX_AXES = 5
MAX_ELEMENTS = 1 << 16
"""Cases with larger tensors, or more axes, are passed over."""


class Case(NamedTuple):
    """A model of one node, and its operands."""

    name: str
    operator: str
    model: onnx.ModelProto
    operands: tuple[Any, ...]


def cases() -> Mapping[str, Case]:
    """For each operator the node test whose first operand has most dimensions, the first one of several."""
    from onnx.backend.test.case.node import collect_testcases  # takes seconds

    found: dict[str, Case] = {}
    for test in collect_testcases(""):
        model, data = test.model, test.data_sets
        if model is None or not data or len(model.graph.node) != 1 or model.graph.node[0].domain:
            continue
        operands: tuple[Any, ...] = tuple(data[0][0])
        if not operands or not all(isinstance(each, np.ndarray) and each.size < MAX_ELEMENTS for each in operands):
            continue
        if operands[0].ndim > MAX_AXES or not all(map(_is_tensor, model.graph.input, operands)):
            continue
        try:
            ReferenceEvaluator(model)
        except RuntimeError:  # an operator that it does not know
            continue
        case = Case(test.name, model.graph.node[0].op_type, model, operands)
        known = found.get(case.operator)
        if known is None or operands[0].ndim > known.operands[0].ndim:
            found[case.operator] = case
    return dict(sorted(found.items()))


def _is_tensor(port: onnx.ValueInfoProto, value: Any) -> bool:
    return len(port.type.tensor_type.shape.dim) == value.ndim


class Opened(NamedTuple):
    """A case with axes of one varying size `N`, the operands that are not constant, and these axes."""

    model: onnx.ModelProto
    inputs: Mapping[str, np.ndarray[Any, Any]]
    axes: Mapping[str, Sequence[int]]
    most: int

    def at(self, size: int) -> dict[str, np.ndarray[Any, Any]]:
        """The operands of a run of `size`: the first elements along each open axis."""
        return {
            name: np.asarray(
                value[tuple(slice(size) if axis in self.axes[name] else slice(None) for axis in range(value.ndim))],
                order="C",
            )
            for name, value in self.inputs.items()
        }


def _same(value: np.ndarray[Any, Any], first: np.ndarray[Any, Any], axis: int, way: str) -> list[int]:
    """The axes of another operand that are opened with `axis` of the first one: the one that broadcasting aligns with
    it, also where that is of another type (labels of scores), or all that are as long."""
    size = first.shape[axis]
    if way in ("aligned", "labels"):
        number, alike = axis - first.ndim + value.ndim, way == "labels" or value.dtype == first.dtype
        return [number] if number >= 0 and value.shape[number] == size and alike else []
    return [number for number, each in enumerate(value.shape) if each == size] if way == "all" else []


def opened(case: Case, axis: int, way: str, times: int = 1) -> Opened:
    """Open `axis` of the first operand of `case`, with its elements as many `times`; operands without such an axis
    become constants."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    most = case.operands[0].shape[axis] * times
    inputs: dict[str, np.ndarray[Any, Any]] = {}
    axes: dict[str, Sequence[int]] = {}
    ports = list(model.graph.input)
    del model.graph.input[:]
    for number, (port, value) in enumerate(zip(ports, case.operands, strict=True)):
        same = [axis] if number == 0 else _same(value, case.operands[0], axis, way)
        if not same:
            model.graph.initializer.append(numpy_helper.from_array(value, port.name))
            continue
        inputs[port.name], axes[port.name] = np.tile(value, _times(value, same, times)), same
        for each in same:
            port.type.tensor_type.shape.dim[each].Clear()
            port.type.tensor_type.shape.dim[each].dim_param = "N"
        model.graph.input.append(port)
    for port in model.graph.output:
        if port.type.HasField("tensor_type"):
            for dim in port.type.tensor_type.shape.dim:
                dim.Clear()
    return Opened(model, inputs, axes, most)


def _times(value: np.ndarray[Any, Any], axes: Sequence[int], times: int) -> list[int]:
    return [times if axis in axes else 1 for axis in range(value.ndim)]


def outcome(case: Case, axis: int) -> str:
    """What becomes of a varying size of `axis`: `runs`, `refused: …`, or `wrong at N=…: …`. What is refused for the few
    elements that the case has is tried with three times as many."""
    found = _best(case, axis, 1)
    if not found.startswith("refused"):
        return found
    longer = _best(case, axis, LONGER)
    return found if longer.startswith("refused") else longer


def _best(case: Case, axis: int, times: int) -> str:
    ways = WAYS[: 1 if len(case.operands) == 1 else None]
    found = [_outcome(opened(case, axis, way, times)) for way in ways]
    wrong = [each for each in found if each.startswith("wrong")]
    runs = sorted((each for each in found if each.startswith(RUNS)), key=len)
    return (wrong or runs or found)[0]


def _outcome(open_case: Opened) -> str:
    reason = ""
    for least in range(MIN_SIZE, open_case.most):
        try:
            with api.compile(open_case.model, dims={"N": (least, open_case.most)}, target="c") as artifact:
                return _compared(artifact, open_case, range(least, open_case.most + 1))
        except S2SError as error:
            reason = " ".join(str(error).split())
            if (steps := STEPS.search(reason)) is not None and (found := _by_steps(open_case, int(steps[1]))):
                return found
            if not any(advice in reason for advice in ADVICE):
                break
        except Exception as error:  # an internal error is reported with its place in the list
            return f"wrong: {type(error).__name__}: {error}"
    return f"refused: {reason}"


def _by_steps(open_case: Opened, step: int) -> str:
    """What becomes of a size that is a multiple of `step`; nothing where it is refused."""
    values = range(step, open_case.most + 1, step)
    if len(values) < MIN_SIZE:
        return ""
    try:
        dims = {"N": f"{values[0]}..{values[-1]}:+{step}"}
        with api.compile(open_case.model, dims=dims, target="c") as artifact:
            found = _compared(artifact, open_case, values)
    except S2SError:
        return ""
    return f"{RUNS} by steps of {step}" if found == RUNS else found


def _compared(artifact: Any, case: Opened, sizes: range) -> str:
    reference: Any = ReferenceEvaluator(case.model)
    for size in sorted({sizes[0], sizes[(len(sizes) - 1) // 2], sizes[-1]}):
        given = case.at(size)
        try:
            expected = reference.run(None, given)
        except Exception:  # what the reference does not take at a size is not compared there
            continue
        found = list(artifact.run(given).values())
        for ours, theirs in zip(found, expected, strict=True):
            reason = _difference(np.asarray(ours), np.asarray(theirs))
            if reason:
                return f"wrong at N={size}: {reason}"
    return RUNS


def _difference(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> str:
    if ours.shape != theirs.shape:
        return f"shape {list(ours.shape)} and {list(theirs.shape)}"
    if theirs.dtype.kind != "f":
        return "" if np.array_equal(ours, theirs) else "other integers"
    close = np.allclose(ours, theirs.astype(ours.dtype), rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    return "" if close else f"off by {np.nanmax(np.abs(ours.astype(np.float64) - theirs)):.3g}"


def survey(only: Sequence[str] = ()) -> Iterator[tuple[Case, int, str]]:
    """Yield for each operator and axis what becomes of a varying size."""
    for operator, case in cases().items():
        if only and operator not in only:
            continue
        for axis, size in enumerate(case.operands[0].shape):
            if size > MIN_SIZE:
                yield case, axis, outcome(case, axis)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what becomes of each axis."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="OPERATOR")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="write varying_axes.json there")
    given = parser.parse_args(arguments)
    rows: dict[str, dict[str, Any]] = {}
    wrong = 0
    for case, axis, found in survey(given.only):
        print(f"{case.operator:24} {case.name:48} axis {axis}  {found}", flush=True)
        shape = list(case.operands[0].shape)
        row = rows.setdefault(case.operator, {"case": case.name, "shape": shape, "axes": {}})
        row["axes"][str(axis)] = found
        wrong += found.startswith("wrong")
    print(f"{sum(len(row['axes']) for row in rows.values())} axes of {len(rows)} operators, {wrong} wrong")
    if given.page is not None:
        file = given.page / "varying_axes.json"
        before: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if given.only and file.exists() else {}
        text = json.dumps(dict(sorted({**before, **rows}.items())), indent=1)
        file.write_text(text + "\n", encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
