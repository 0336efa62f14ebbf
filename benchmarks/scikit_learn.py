"""Models of scikit-learn, LightGBM and XGBoost as C: which are converted, compiled, and give the results of the source.

    python -m benchmarks.scikit_learn [--only SVC KMeans …] [--page docs]

Every case of `scikit_learn_cases` is fitted, converted in float32 and in float64, and compiled to C: in float32 for one
row and for any number from 1 to 8 (`--dim N=1..8`), in float64 for five. Fifty rows that the model has not seen are
compared with the methods of the model itself and with onnxruntime. The exit code is 1 if anything differs from both.
`--page` writes `scikit_learn.json` into a folder, of which `docs/generate.py` makes a page.
"""

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import onnx

from benchmarks.scikit_learn_cases import CASES
from benchmarks.scikit_learn_data import FEATURES, Case, Data, data
from s2s import api
from s2s.errors import S2SError
from s2s.types.dtypes import Array

FILE = "scikit_learn.json"
AGREES, REFUSED, INVALID, NOT_CONVERTED, WRONG = "agrees", "refused: ", "invalid: ", "not converted: ", "wrong: "
SIZES = {"float32": ("1", "1..8"), "float64": ("5",)}
"""How many rows a run takes."""
MAX_ROWS = 8
TOLERANCE = 1e-4
"""Of the largest number of an output, or of 1: the ensembles of ai.onnx.ml add in single precision."""
_NUDGE = 2e-6
"""A row hangs on a tie if its result changes when its features change by this part of themselves."""
_OPSET = 18
_BROKEN = ("Type Error", "INVALID_GRAPH", "is not a registered function/op")
"""What onnxruntime says of a model that contradicts ONNX."""
_PACKAGES = ("sklearn", "skl2onnx", "onnx", "onnxmltools", "lightgbm", "xgboost", "onnxruntime")
_METHODS = ("predict", "transform", "predict_proba", "decision_function", "score_samples", "kneighbors")


class Model(NamedTuple):
    """What a fitted model is converted to, and the rows on which both are compared."""

    converted: onnx.ModelProto
    rows: Array
    sources: Sequence[tuple[Sequence[Array], Array]]
    """For each method of the model its results, and the rows whose results change where their features hardly do."""
    theirs: Sequence[Array] | str
    """The results of onnxruntime for all rows, or why it gives none."""

    @property
    def input(self) -> str:
        """The name of the input."""
        return self.converted.graph.input[0].name


class Counts(NamedTuple):
    """How many rows differ from both, from the source alone, from onnxruntime alone, and how many hang on ties."""

    wrong: int = 0
    from_source: int = 0
    from_engine: int = 0
    ties: int = 0


def fitted(case: Case) -> tuple[Any, Data]:
    """The model of `case`, and its data."""
    given = data(case)
    model = case.make()
    model.fit(*(each for each in (given.x, given.y) if each is not None), **case.fit)
    return model, given


def converted(case: Case, model: Any, rows: Array) -> onnx.ModelProto:
    """The model as its converter writes it for rows of this type."""
    if case.package != "sklearn" and case.package != "skl2onnx":
        types: Any = import_module("onnxmltools.convert.common.data_types")
        kind = types.FloatTensorType if rows.dtype == np.float32 else types.DoubleTensorType
        convert = getattr(import_module("onnxmltools"), f"convert_{case.package}")
        zipmap = {"zipmap": False} if case.package == "lightgbm" else {}
        return convert(model, initial_types=[("X", kind([None, FEATURES]))], target_opset=15, **zipmap)
    to_onnx = partial(import_module("skl2onnx").to_onnx, model, rows[:1])
    try:
        return to_onnx(options={id(model): {"zipmap": False}}, target_opset=_OPSET)
    except NameError:  # an estimator without classes has no such option
        pass
    try:
        return to_onnx(target_opset=_OPSET)
    except RuntimeError:  # some want to be told the version of ai.onnx.ml, which others do not take
        return to_onnx(target_opset={"": _OPSET, "ai.onnx.ml": 3})


def row_of(case: Case) -> dict[str, Any]:
    """What becomes of a case: an outcome for each precision and size."""
    source, given = fitted(case)
    methods = [(results_of(method, given.rows), _nudged(method, given.rows)) for method in _methods(source)]
    found: dict[str, Any] = {}
    for kind, sizes in SIZES.items():
        rows = given.rows.astype(kind) if given.rows.dtype.kind == "f" else given.rows
        try:
            proto = converted(case, source, rows)
        except Exception as error:  # whatever a converter raises
            found[kind] = NOT_CONVERTED + _first_line(error.__cause__ or error)
            continue
        model = Model(proto, rows, methods, by_onnxruntime(proto, rows))
        found[kind] = {size: outcome(model, size) for size in sizes}
    return found


def outcome(model: Model, size: str) -> str:
    """The outcome of a model for `size` rows: `agrees`, `refused: …`, `invalid: …` or `wrong: …`."""
    theirs = model.theirs
    try:
        ours = by_us(model, size)
    except S2SError as error:
        broken = isinstance(theirs, str) and any(word in theirs for word in _BROKEN)
        return (INVALID if broken else REFUSED) + _first_line(error)
    except Exception as error:  # an internal error is reported with its place in the list
        return f"{WRONG}{type(error).__name__}: {_first_line(error)}"
    return said(compared(model, ours), runs=not isinstance(theirs, str))


def said(counts: Counts, *, runs: bool) -> str:
    """The outcome that `counts` tell; `runs` says whether onnxruntime runs the model."""
    if counts.wrong:
        return f"{WRONG}{counts.wrong} rows"
    parts = [AGREES]
    if counts.from_source:
        parts.append(f"as onnxruntime does, the model itself differs in {counts.from_source} rows")
    if not runs:
        parts.append("onnxruntime does not run it")
    if counts.from_engine:
        parts.append(f"onnxruntime differs in {counts.from_engine} rows")
    if counts.ties:
        parts.append(f"{counts.ties} rows hang on ties")
    return "; ".join(parts)


def by_us(model: Model, size: str) -> list[Array]:
    """The results of the C for all rows, a run after the other."""
    shape = model.rows.shape[1:]
    most = MAX_ROWS if ".." in size else int(size)
    dims = {"N": (1, MAX_ROWS)} if ".." in size else None
    given: tuple[int | str, ...] = ("N" if dims else most, *shape)
    parts: list[list[Array]] = []
    with api.compile(model.converted, name="model", target="c", shapes={model.input: given}, dims=dims) as artifact:
        first = 0
        while first < len(model.rows):
            count = 1 + len(parts) % MAX_ROWS if dims else most
            found = artifact.run({model.input: np.asarray(model.rows[first : first + count], order="C")})
            texts = [port.texts for port in artifact.info.outputs]
            parts.append([_named(each, of) for each, of in zip(found.values(), texts, strict=True)])
            first += count
    theirs = model.theirs
    axes = [0] * len(parts[0]) if isinstance(theirs, str) else [_axis(each, len(model.rows)) for each in theirs]
    return [np.concatenate(each, axis) for each, axis in zip(zip(*parts, strict=True), axes, strict=True)]


def _named(result: Array, texts: Sequence[str]) -> Array:
    """The texts that a result numbers, if it does."""
    return np.array(texts, object)[result] if texts else np.asarray(result)


def by_onnxruntime(model: onnx.ModelProto, rows: Array) -> list[Array] | str:
    """The results of onnxruntime for all rows at once, or why it does not run the model."""
    runtime: Any = import_module("onnxruntime")
    runtime.set_default_logger_severity(4)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        found: list[Any] = session.run(None, {model.graph.input[0].name: rows})
        sequences = [cast("list[Any]", each) if isinstance(each, list) else [each] for each in found]
        return [np.asarray(each) for tensors in sequences for each in tensors]
    except Exception as error:  # whatever the engine raises
        return _first_line(error)


def _axis(result: Array, rows: int) -> int:
    """The axis of the rows."""
    return next((axis for axis, size in enumerate(result.shape) if size == rows), 0)


def compared(model: Model, ours: Sequence[Array]) -> Counts:
    """Compare each result with that method of the source which gives the like, and with onnxruntime's."""
    count, theirs = len(model.rows), model.theirs
    from_source, from_engine, wrong, tied = (np.zeros(count, np.bool_) for _ in range(4))
    for number, result in enumerate(ours):
        rows = _by_row(result, count)
        apart, near = min(
            ((_apart(rows, each), moved) for each, moved in model.sources), key=lambda pair: int(pair[0].sum())
        )
        unlike = None if isinstance(theirs, str) else _apart(rows, [_by_row(theirs[number], count)])
        far = apart & ~near
        tied |= apart & near
        from_source |= far
        if unlike is not None:
            from_engine |= unlike & ~apart
        wrong |= far if unlike is None else far & unlike
    return Counts(*(int(each.sum()) for each in (wrong, from_source & ~wrong, from_engine & ~wrong, tied & ~wrong)))


def _methods(source: Any) -> list[Callable[[Array], Any]]:
    """The methods of a model that give results for rows; `CastRegressor` has the methods of all estimators."""
    inner = getattr(source, "estimator", source) if type(source).__name__ == "CastRegressor" else source
    found: list[Callable[[Array], Any]] = [getattr(source, name) for name in _METHODS if hasattr(inner, name)]
    return found


def results_of(method: Callable[[Array], Any], rows: Array) -> list[Array]:
    """The results of a method, each with one row for each row given; of one score for two classes both, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result: Any = method(rows)
    result: Any = result.toarray() if hasattr(result, "toarray") else result
    given: Sequence[Any] = cast("Sequence[Any]", result) if isinstance(result, tuple | list) else [result]
    results: list[Array] = [np.asarray(each) for each in given]
    if isinstance(result, list) and len({each.shape for each in results}) == 1:
        results = [*results, np.stack(results)]
    found = [_by_row(each, len(rows)) for each in results]
    single = [each for each in found if each.shape[1] == 1 and each.dtype.kind == "f"]
    return found + [np.concatenate([sign * each, -sign * each], 1) for each in single for sign in (-1, 1)]


def _nudged(method: Callable[[Array], Any], rows: Array) -> Array:
    """The rows whose results change where their features hardly do."""
    if (rows == np.round(rows)).all():  # categories and counts
        return np.zeros(len(rows), np.bool_)
    random, changed, before = np.random.default_rng(0), np.zeros(len(rows), np.bool_), results_of(method, rows)
    for _ in range(4):
        moved = (rows * (1 + _NUDGE * random.uniform(-1, 1, rows.shape))).astype(rows.dtype)
        for result, after in zip(before, results_of(method, moved), strict=True):
            changed |= _apart(after, [result])
    return changed


def _by_row(result: Array, rows: int) -> Array:
    """A result with a row for each row of the input, and columns."""
    return np.moveaxis(result, _axis(result, rows), 0).reshape(rows, -1)


def _apart(ours: Array, others: Sequence[Array]) -> Array:
    """The rows of `ours` that differ from the one of `others` which it is most like."""
    alike = [other for other in others if other.shape == ours.shape and _comparable(ours, other)]
    different = [np.asarray(_different(ours, other).any(1)) for other in alike]
    return min(different, key=lambda rows: int(rows.sum()), default=np.ones(len(ours), np.bool_))


def _comparable(ours: Array, other: Array) -> bool:
    return (ours.dtype.kind in "OUS") == (other.dtype.kind in "OUS")


def _different(ours: Array, other: Array) -> Array:
    """The elements that differ: texts and integers at all, floats beyond the tolerance."""
    if ours.dtype.kind in "OUS" or ours.dtype.kind in "iub":
        return ours != other
    a, b = ours.astype(np.float64), other.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    bound = TOLERANCE * max(1.0, float(finite.max(initial=0)))
    with np.errstate(invalid="ignore"):
        same = (np.abs(a - b) <= bound) | (a == b) | (np.isnan(a) & np.isnan(b))
    return ~same


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return " ".join((lines[0] if lines else type(error).__name__).split())


def survey(only: Sequence[str] = ()) -> Iterator[tuple[Case, dict[str, Any]]]:
    """Yield the outcome of each case, or of the cases of these estimators."""
    for case in CASES.values():
        if not only or case.estimator in only or case.name in only:
            yield case, row_of(case)


def outcomes(row: Mapping[str, Any]) -> list[str]:
    """All outcomes of a row."""
    return [each for kind in row.values() for each in ([kind] if isinstance(kind, str) else kind.values())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what becomes of each case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="ESTIMATOR")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help=f"write {FILE} there")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows: dict[str, Any] = {}
    for case, row in survey(given.only):
        rows[case.name] = row
        print(f"{case.name:48} " + "  ".join(f"{kind}: {_summary(row[kind])}" for kind in row), flush=True)
    totals = Counter(each.partition(":")[0].partition(";")[0] for row in rows.values() for each in outcomes(row))
    print(f"{len(rows)} models: " + ", ".join(f"{count} {word}" for word, count in totals.most_common()))
    if given.page is not None:
        _store(given.page / FILE, rows)
    return int(any(each.startswith(WRONG) for row in rows.values() for each in outcomes(row)))


def _summary(found: Any) -> str:
    """The outcome of a precision: one for all sizes, or each."""
    if isinstance(found, str):
        return found
    return next(iter(found.values())) if len(set(found.values())) == 1 else str(found)


def _store(file: Path, rows: Mapping[str, Any]) -> None:
    """Write the rows, among the rows of other cases that the file has."""
    before: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["cases"] if file.exists() else {}
    every = {**before, **rows}
    versions = {name: import_module(name).__version__ for name in _PACKAGES}
    stored = {"versions": versions, "cases": {name: every[name] for name in CASES if name in every}}
    file.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
