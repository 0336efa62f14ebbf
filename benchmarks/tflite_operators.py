"""Every builtin operator of TFLite-Micro on random cases: how many, and how many differ from its reference kernels.

    python -m benchmarks.tflite_operators [--cases 16] [--seed 0] [--only ADD MUL …] [--page docs]

The cases are made as those of the tests are. Integers, and floats that are only moved, must be equal bit for bit; the
tolerances of floats stand beside the generators. What runs is the numpy meaning of the graph that the importer
builds; the tests take cases of each operator and type through C as well. Operators with state run several times. The
exit code is 1 if anything differs. `--page` writes `tflite_support.json` into a folder, with what the importers have
read of the options; with `--only` the others of the file stay. `docs/generate.py` makes the page of support of it.
"""

import argparse
import json
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.node import Node
from s2s.interpret.graph import run_graph

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from frontends.tflite import (
    test_layers,
    test_litert_operators,
    test_lstm_integer,
    test_lstm_parts,
    test_movement,
    test_recurrent,
    test_svdf_hybrid,
)

from s2s.fuzz.tflite.engines import run_micro
from support import litert_cases, litert_integer_lstm_cases, litert_lstm_cases, tflite_cases, tflite_layer_cases

ARENA = 1 << 20
RUNS = 4
Runs = tuple[bytes, list[list[Any]]]
"""A model, and the inputs of one run after the other."""


@dataclass(frozen=True)
class Row:
    """One operator on one type: `check(seed)` says what is wrong with a case."""

    builtin: str
    kind: str
    check: Callable[[int], str]


def rows() -> Iterator[Row]:
    """All operators and types that there are cases for."""
    for builtin, kinds in tflite_cases.GENERATORS.items():
        for kind, make in kinds.items():
            yield Row(builtin, kind, partial(_judged, make, tflite_cases.difference))
    for builtin, kinds in tflite_layer_cases.GENERATORS.items():
        for kind, make in kinds.items():
            yield Row(builtin, kind, partial(_judged, make, test_layers.difference))
    for builtin in test_movement.MAKERS:
        for kind in test_movement.MICRO[builtin]:
            yield Row(builtin, kind.lower(), partial(_moved, builtin, kind))

    for builtin, kinds in litert_cases.LITERT_GENERATORS.items():
        for kind in kinds:
            yield Row(builtin, kind, partial(_by_litert, builtin, kind))
    yield from _stateful_rows()


def _stateful_rows() -> Iterator[Row]:
    """Networks whose runs depend on earlier ones, and networks that run other graphs."""
    for kind in ("FLOAT32", "INT8", "INT16"):
        make = partial(test_recurrent.lstm, kind)
        yield Row("UNIDIRECTIONAL_SEQUENCE_LSTM", kind.lower(), partial(_stateful, make, 1))
    for builtin in test_lstm_parts.OPERATORS:
        for kind, narrow in (("float32 (all parts)", False), ("float32 x int8", True)):
            yield Row(builtin, kind, partial(_with_parts, builtin, narrow))
    for builtin in test_lstm_integer.OPERATORS:
        yield Row(builtin, "int8 (all parts)", partial(_integers_with_parts, builtin))
    for kind, time in (("FLOAT32", "FLOAT32"), ("INT8", "INT8"), ("INT8", "INT16")):
        yield Row("SVDF", f"{kind} x {time}".lower(), partial(_stateful, partial(test_recurrent.svdf, kind, time), 1))
    yield Row("SVDF", "float32 x int8", lambda seed: _first_line(partial(test_svdf_hybrid.check, seed)))
    for name in ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"):
        yield Row(name, "float32", partial(_stateful, partial(_counted, first=False), 2))
    yield Row("CALL_ONCE", "float32", partial(_stateful, partial(_counted, first=True), 2))
    yield Row("IF", "int32", partial(_stateful, _branched, 1))
    yield Row("WHILE", "int32", partial(_stateful, _repeated, 1))


def _with_parts(builtin: str, narrow: bool, seed: int) -> str:
    """An LSTM with some of the parts that it may have."""
    parts = litert_lstm_cases.drawn_parts(builtin, seed)
    model, runs = litert_lstm_cases.lstm(builtin, parts, seed, narrow=narrow)
    return _first_line(partial(test_lstm_parts.check, model, runs))


def _integers_with_parts(builtin: str, seed: int) -> str:
    """An LSTM of integers with some of the parts that it may have, with LiteRT's bits."""
    parts = litert_integer_lstm_cases.drawn_parts(seed)
    model, runs = litert_integer_lstm_cases.integer_lstm(builtin, parts, seed)
    return _first_line(partial(test_lstm_integer.check, model, runs, rounding="reference"))


def _first_line(check: Callable[[], object]) -> str:
    """What a check finds wrong."""
    try:
        check()
    except AssertionError as error:
        return str(error).strip().partition("\n")[0]
    return ""


def _counted(seed: int, *, first: bool) -> Runs:
    random = np.random.default_rng(seed)
    initial = float(random.integers(-9, 9)) if first else None
    return test_recurrent.counter(initial), [[random.normal(size=3).astype(np.float32)] for _ in range(RUNS)]


def _branched(seed: int) -> Runs:
    random = np.random.default_rng(seed)
    runs = [
        [np.asarray(random.random() < 0.5), *random.integers(-99, 99, (2, 4)).astype(np.int32)] for _ in range(RUNS)
    ]
    return test_recurrent.branches("INT32"), runs


def _repeated(seed: int) -> Runs:
    random, limit = np.random.default_rng(seed), np.full(4, 100, np.int32)
    values = random.integers(1, 200, (RUNS, 4)).astype(np.int32)
    return test_recurrent.loop(inside=False), [[value, limit] for value in values]


def _stateful(make: Callable[[int], Runs], outputs: int, seed: int) -> str:
    """A network that is run several times."""
    model, runs = make(seed)
    return _first_line(partial(test_recurrent.check, model, runs, outputs))


def _judged(make: Callable[[np.random.Generator], Any], difference: Callable[..., str], seed: int) -> str:
    """A case that knows its tolerance."""
    case = make(np.random.default_rng(seed))
    found, expected = _both(case.model, case.inputs)
    return difference(case, found[0], expected[0])


def _moved(builtin: str, kind: str, seed: int) -> str:
    """A case of an operator that only moves elements."""
    layer, inputs = test_movement.MAKERS[builtin](test_movement.Draw(f"{builtin} {kind} {seed}", kind))
    found, expected = _both(layer.model(), inputs)
    same = all(np.array_equal(got.reshape(wanted.shape), wanted) for got, wanted in zip(found, expected, strict=True))
    return "" if same else "numbers differ"


def _by_litert(builtin: str, kind: str, seed: int) -> str:
    """A case of an operator that TFLite-Micro does not have."""
    case = test_litert_operators.case_of(builtin, kind, seed)
    imported = import_model(case.model)
    found = run_graph(imported.module, case.inputs, imported.weights)
    expected = test_litert_operators.expected_of(case)
    rest = tflite_cases.further_difference(case, found[1:], expected[1:])
    return tflite_cases.difference(case, found[0], expected[0]) or rest


class Options:
    """The options of an operator; notes what is read of them."""

    def __init__(self, options: Any, read: set[str]) -> None:
        self._options, self._read = options, read

    def __getattr__(self, name: str) -> Any:
        self._read.add(name.removesuffix("Length").removesuffix("AsNumpy"))
        return getattr(self._options, name)


@contextmanager
def noted() -> Generator[Mapping[str, set[str]]]:
    """Note what importers read of the options, by operator."""
    read: dict[str, set[str]] = {}
    plain = Node.options

    def options(node: Node) -> Options:
        return Options(plain.__get__(node), read.setdefault(node.builtin, set()))

    setattr(Node, "options", property(options))  # noqa: B010
    try:
        yield read
    finally:
        setattr(Node, "options", plain)  # noqa: B010


def support(chosen: Sequence[Row], seeds: range) -> dict[str, Any]:
    """Return for each operator the cases that passed of each type, and the options that were read."""
    found: dict[str, Any] = {}
    with noted() as read:
        for row in chosen:
            each = tally(row, seeds)
            entry = found.setdefault(row.builtin, {"types": {}, "read": []})
            entry["types"][row.kind] = [each.cases - len(each.wrong), each.cases]
    for builtin, entry in found.items():
        entry["read"] = sorted(read.get(builtin, ()))
    return found


def _both(model: bytes, inputs: list[Any]) -> tuple[list[Any], list[Any]]:
    """The results of the graph, and of the reference."""
    imported = import_model(model)
    return run_graph(imported.module, inputs, imported.weights), run_micro(model, inputs, arena=ARENA)


@dataclass(frozen=True)
class Tally:
    """What came of the cases of a row."""

    cases: int
    wrong: Mapping[int, str]
    """By seed."""


def tally(row: Row, seeds: range) -> Tally:
    """Run a row."""
    wrong: dict[int, str] = {}
    for seed in seeds:
        try:
            fact = row.check(seed)
        except (InputError, UnsupportedError) as error:
            fact = str(error)
        if fact:
            wrong[seed] = fact
    return Tally(len(seeds), wrong)


def _write_page(path: Path, found: Mapping[str, Any], *, keep: bool) -> None:
    """Write the findings; `keep` the file's rows of other operators."""
    others: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if keep and path.exists() else {}
    path.write_text(f"{json.dumps({**others, **found}, indent=1, sort_keys=True)}\n", encoding="utf-8")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=16, help="of each operator and type (default: 16)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first case (default: 0)")
    parser.add_argument("--only", nargs="*", help="names of operators (default: all)")
    parser.add_argument("--page", type=Path, help="write tflite_support.json into this folder")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.cases)
    chosen = sorted(rows(), key=lambda row: (row.builtin, row.kind))
    chosen = [row for row in chosen if not arguments.only or row.builtin in arguments.only]
    if arguments.page is not None:
        _write_page(arguments.page / "tflite_support.json", support(chosen, seeds), keep=bool(arguments.only))
        return 0
    cases, differing = 0, 0
    print(f"{'operator':28} {'type':18} {'cases':>6} {'differ':>7}")
    for row in chosen:
        found = tally(row, seeds)
        cases, differing = cases + found.cases, differing + len(found.wrong)
        first = next(iter(found.wrong.items()), None)
        note = "" if first is None else f"  case {first[0]}: {first[1]}"
        print(f"{row.builtin:28} {row.kind:18} {found.cases:6} {len(found.wrong):7}{note}", flush=True)
    operators = len({row.builtin for row in chosen})
    print(f"{cases} cases of {operators} operators, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
