"""What s2s reads of onnxruntime's operators (com.microsoft): the element types, and how many cases agree with it.

    python -m benchmarks.contrib [--page docs]

Each case of `contrib_cases` is imported with every type that onnxruntime's schema allows for its first operand, run by
the interpreter, and compared with onnxruntime's CPU kernel where it has one for this type. Writes
`contrib_support.json` into the folder of `--page`, from which `docs/generate.py` makes the page of support.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from benchmarks.contrib_cases import CASES, Case, model
from s2s.errors import S2SError
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from s2s.verify.unsigned_weights import with_unsigned_weights

FILE = "contrib_support.json"
DOMAIN = "com.microsoft"
_TYPES: Mapping[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    **{
        name: np.dtype(name)
        for name in ("float16", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
    },
}
_RELATIVE = {2: 5e-2, 4: 1e-4, 8: 1e-6}
"""By the bytes of a float: how far results may lie apart, of the largest."""


@dataclass
class Found:
    """What is found of one operator."""

    types: set[str] = field(default_factory=set[str])
    passed: int = 0
    cases: int = 0


def main() -> None:
    """Run all cases, print the ones that differ, and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--page", type=Path, metavar="DIR", help="the folder of the file that is written")
    arguments = parser.parse_args()
    found = support()
    agreeing, compared = (sum(getattr(each, name) for each in found.values()) for name in ("passed", "cases"))
    print(f"{len(found)} operators, {agreeing} of {compared} cases agree with onnxruntime")
    if arguments.page is not None:
        entries = {
            name: {"types": sorted(each.types), "passed": each.passed, "cases": each.cases}
            for name, each in sorted(found.items())
        }
        runtime: Any = import_module("onnxruntime")
        text = json.dumps(
            {"onnxruntime": runtime.__version__, "operators": entries, "all": sorted(schemas())}, indent=1
        )
        (arguments.page / FILE).write_text(text + "\n", encoding="utf-8")


def schemas() -> dict[str, Any]:
    """The operators that onnxruntime declares in its domain, by name."""
    state: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    return {each.name: each for each in state.get_all_operator_schema() if each.domain == DOMAIN}


def support() -> dict[str, Found]:
    """What is found of each operator that has cases."""
    declared, found = schemas(), dict[str, Found]()
    for name, case in CASES.items():
        if case.domain != DOMAIN:
            continue
        entry = found.setdefault(case.kind, Found())
        for kind, variant in variants(case, declared[case.kind]):
            ours = _by_us(variant)
            if ours is None:
                continue
            entry.types.add(kind)
            theirs = by_onnxruntime(variant)
            if theirs is not None:
                entry.cases += 1
                agree = _agree(ours, theirs, case.stated)
                entry.passed += agree
                if not agree:
                    print(f"{name} of {kind}: differs")
    return found


def variants(case: Case, schema: Any) -> Iterator[tuple[str, Case]]:
    """A case with each type that its first operand may have; operands of the same type variable go with it."""
    variables = [schema.inputs[min(place, len(schema.inputs) - 1)].typeStr for place in range(len(case.operands))]
    first = next(place for place, operand in enumerate(case.operands) if operand is not None)
    allowed = {each.type_param_str: each.allowed_type_strs for each in schema.type_constraints}
    names = allowed.get(variables[first], [variables[first]])
    for name in sorted(each.removeprefix("tensor(").removesuffix(")") for each in names):
        if name in _TYPES:
            operands = [
                operand if operand is None or variable != variables[first] else _converted(operand, _TYPES[name])
                for operand, variable in zip(case.operands, variables, strict=True)
            ]
            yield name, case._replace(operands=operands)


def _converted(x: Array, dtype: np.dtype[Any]) -> Array:
    """`x` in another type: integers keep their bits where that keeps their size."""
    keeps = x.dtype.kind in "iu" and dtype.kind in "iu" and x.itemsize == dtype.itemsize
    return x.view(dtype) if keeps else x.astype(dtype)


def _inputs(case: Case) -> list[Array]:
    return [each for place, each in enumerate(case.operands) if each is not None and place not in case.known]


def _by_us(case: Case) -> list[Array] | None:
    try:
        imported = import_model(model(case))
    except S2SError:
        return None
    return list(run_graph(imported.module, _inputs(case), imported.weights))


def by_onnxruntime(case: Case) -> list[Array] | None:
    """The results of the CPU kernel; None where there is none for these types."""
    runtime: Any = import_module("onnxruntime")
    runtime.set_default_logger_severity(4)
    inputs = _inputs(case)
    if any(each.dtype == ml_dtypes.bfloat16 for each in inputs):  # onnxruntime's Python interface does not take it
        return None
    try:
        proto = with_unsigned_weights(model(case)).SerializeToString()
        session = runtime.InferenceSession(proto, providers=["CPUExecutionProvider"])
        return session.run(None, {port.name: x for port, x in zip(session.get_inputs(), inputs, strict=True)})
    except Exception:
        return None


def _agree(ours: list[Array], theirs: list[Array], stated: int | None) -> bool:
    for a, b in zip(ours, theirs, strict=True):
        part = np.s_[:, :, :stated] if a.ndim == 4 else ...
        x, y = np.asarray(a, np.float64)[part], np.asarray(b, np.float64)[part]
        exact = a.dtype.kind not in "fV" and a.dtype != ml_dtypes.bfloat16
        bound = 0.0 if exact else _RELATIVE[a.dtype.itemsize] * max(1.0, float(np.abs(y).max(initial=0)))
        if x.shape != y.shape or not (np.abs(x - y) <= bound).all():
            return False
    return True


if __name__ == "__main__":
    main()
