"""The public names of `s2s.tvm` that a test calls, told by the frames of the calls.

A name counts where a file of the tests calls it, outside of `pytest.raises`, and the call returns. Functions that
share their code, as a decorator or a table makes them, are told apart by the values that they enclose. A class is
called where it, a class derived of it or a method of it is; or where a test derives a class of it, asks whether an
object is one, or expects it as an error.

    PYTHONPATH=.:tests python -m support.tvm_calls [TEST…]

runs all tests of `tests/tvm`, or these alone, and renews `docs/tvm_calls.json`: for each name a test that calls it.
`tests/tvm/conftest.py` watches a sample of these tests in every run, and fails the test that calls its names no more.
"""

import builtins
import inspect
import json
import os
import subprocess
import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest

from docs import tvm_names
from support.project import ROOT
from support.sampling import EVERY, SEED, choose_seed

RECORD = ROOT / "docs" / "tvm_calls.json"
FOLDER = "S2S_TVM_CALLS"
"""The variable of the environment that names the folder in which a run records its calls."""
SHARE = 8
"""One of this number of places is watched in a run."""
TESTS = f"{ROOT / 'tests'}/"


class Callable(NamedTuple):
    """A public function, or a method of a public class, and the names that it has."""

    names: tuple[str, ...]
    function: FunctionType
    of: type | None


@cache
def by_code() -> dict[CodeType, list[Callable]]:
    """The public functions and classes by the code that runs when they are called."""
    found: dict[CodeType, list[Callable]] = defaultdict(list)
    for value, names in names_by_value():
        if not inspect.isclass(value):
            for function in functions_of(value):
                found[function.__code__].append(Callable(names, function, None))
            continue
        for base in (*value.__mro__[:-1], *type(value).__mro__[:-2]):
            for attribute in vars(base).values():
                for function in functions_of(attribute):
                    found[function.__code__].append(Callable(names, function, value))
    return found


def names_by_value() -> list[tuple[Any, tuple[str, ...]]]:
    """Each public function or class, with all names of it."""
    names: dict[int, list[str]] = defaultdict(list)
    values: dict[int, Any] = {}
    for module in tvm_names.MODULES:
        found = tvm_names.module_named(module)
        for name in tvm_names.names_of(found):
            value = getattr(found, name)
            values[id(value)] = value
            names[id(value)].append(f"{module}.{name}".lstrip("."))
    return [(value, tuple(names[key])) for key, value in values.items()]


@cache
def names_by_id() -> dict[int, tuple[str, ...]]:
    """The names of each public function or class by its identity."""
    return {id(value): names for value, names in names_by_value()}


def expected_by(block: Any) -> tuple[object, ...]:
    """The errors that a block of `pytest.raises` expects."""
    several: tuple[object, ...] = getattr(block, "expected_exceptions", ())
    return several or (getattr(block, "expected_exception", None),)


def functions_of(value: Any) -> list[FunctionType]:
    """The functions of Python that a callable or an attribute of a class stands for."""
    match value:
        case FunctionType():
            return [value]
        case staticmethod() | classmethod():
            return _function_of(value)
        case property():
            return [each for each in (value.fget, value.fset) if isinstance(each, FunctionType)]
        case partial():
            return functions_of(value.func)
        case _:
            return functions_of(value.__wrapped__) if hasattr(value, "__wrapped__") else []


def _function_of(method: Any) -> list[FunctionType]:
    """The function of a static method or of a method of a class."""
    return functions_of(method.__func__)


class CallRecorder:
    """Watches calls between `start` and `stop`; `called` has the names."""

    def __init__(self) -> None:
        self.called: set[str] = set()
        self.refused = 0
        """The blocks of `pytest.raises` that are open."""

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watch the calls of a block."""
        before = sys.gettrace()
        sys.settrace(self._on_call)
        try:
            with pytest.MonkeyPatch.context() as patch:
                self._watch_refusals(patch)
                self._watch_classes(patch)
                yield
        finally:
            sys.settrace(before)

    def _watch_classes(self, patch: pytest.MonkeyPatch) -> None:
        """Note the bases of classes that tests define."""
        build: Any = builtins.__build_class__

        def built(function: Any, name: str, *bases: Any, **keywords: Any) -> Any:
            here = inspect.currentframe()
            if is_of_tests(here and here.f_back):
                self.note(*bases)
            return build(function, name, *bases, **keywords)

        patch.setattr(builtins, "__build_class__", built)

    def isinstance(self, value: object, kinds: type | tuple[type, ...]) -> bool:
        """`isinstance`, as tests call it."""
        several = kinds if isinstance(kinds, tuple) else (kinds,)
        self.note(*several)
        return isinstance(value, kinds)

    def note(self, *values: object) -> None:
        """Note what is called or used as a class."""
        for each in values:
            self.called.update(names_by_id().get(id(each), ()))

    def _watch_refusals(self, patch: pytest.MonkeyPatch) -> None:
        kind: Any = type(pytest.raises(FileNotFoundError))
        enter, leave = kind.__enter__, kind.__exit__

        def entered(this: Any) -> Any:
            self.refused += 1
            return enter(this)

        def left(this: Any, *told: Any) -> Any:
            self.refused -= 1
            is_expected = leave(this, *told)
            if is_expected:
                self.note(*expected_by(this))
            return is_expected

        patch.setattr(kind, "__enter__", entered)
        patch.setattr(kind, "__exit__", left)

    def _on_call(self, frame: FrameType, _event: str, _value: object) -> Any:
        found = by_code().get(frame.f_code)
        if found is None or self.refused or not is_of_tests(frame.f_back):
            return None
        names = [name for each in found if is_of(each, frame) for name in each.names]
        if not names:
            return None
        frame.f_trace_lines = False
        failed = False

        def on_end(_frame: FrameType, event: str, value: object) -> Any:
            nonlocal failed
            if event == "exception" and isinstance(value, tuple):
                failed = not issubclass(value[0], SystemExit)
            elif event == "return" and not (failed and value is None):
                self.called.update(names)
            return on_end

        return on_end


def is_of_tests(frame: FrameType | None) -> bool:
    """Whether a frame is of a file of the tests."""
    return frame is not None and frame.f_code.co_filename.startswith(TESTS)


def is_of(each: Callable, frame: FrameType) -> bool:
    """Whether the function that a frame runs is the one that is named, not another one of the same code."""
    if each.of is not None:
        code = frame.f_code
        this: object = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        kind: type = this if isinstance(this, type) else type(this)
        return issubclass(kind, each.of)
    cells = each.function.__closure__ or ()
    inside = frame.f_locals
    return all(
        name in inside and inside[name] is cell.cell_contents
        for name, cell in zip(frame.f_code.co_freevars, cells, strict=True)
    )


class Watch:
    """What is watched of a test, of a fixture or of the import of a file."""

    def __init__(self, place: str, wanted: frozenset[str], folder: str | None) -> None:
        self.place = place
        self.wanted = wanted
        self.folder = folder
        self.recorder = CallRecorder()

    @contextmanager
    def block(self, module: ModuleType | None = None, *, is_last: bool = True) -> Generator[None]:
        """Watch a block of a module of tests; the last one of a test is an error where a name was not called."""
        if not self.wanted and self.folder is None:
            yield
            return
        with self.recorder.watching(), pytest.MonkeyPatch.context() as patch:
            if module is not None:
                patch.setattr(module, "isinstance", self.recorder.isinstance, raising=False)
            yield
        if not is_last:
            return
        if self.folder is not None:
            with Path(self.folder, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps([self.place, sorted(self.recorder.called)]) + "\n")
        elif missing := self.wanted - self.recorder.called:
            names = ", ".join(sorted(missing))
            pytest.fail(
                f"{self.place}: calls {names} no more; run `python -m support.tvm_calls {self.place}`",
                pytrace=False,
            )


@cache
def recorded() -> dict[str, str]:
    """The test that calls a name, by the name."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def missing_places(tests: Sequence[str]) -> list[str]:
    """The tests of the record that the files of these tests, which are whole, do not have; none while it is made."""
    if FOLDER in os.environ:
        return []
    known, files = set(tests), {each.partition("::")[0] for each in tests}
    places = {each for each in recorded().values() if "::test_" in each and each.partition("::")[0] in files}
    return sorted(places - known)


def watch_of(place: str) -> Watch:
    """The watch of a place: nothing is watched where the record names it not, or the seed of the run leaves it out."""
    folder = os.environ.get(FOLDER)
    seed = choose_seed()
    is_taken = seed == EVERY or zlib.crc32(f"{seed} {place}".encode()) % SHARE == 0
    wanted = frozenset(name for name, where in recorded().items() if where == place) if is_taken else frozenset[str]()
    return Watch(place, wanted, folder)


def record(places: Mapping[str, set[str]], last: Mapping[str, str]) -> dict[str, str]:
    """For each name the place that calls it: the one of the last record, or a test, or what tests share."""
    callers: dict[str, set[str]] = defaultdict(set)
    for place, names in places.items():
        for name in names:
            callers[name].add(place)
    kept = {name: place for name, place in last.items() if place not in places and name not in callers}
    chosen = {
        name: last[name] if last.get(name) in each else min(each, key=lambda place: ("::test_" not in place, place))
        for name, each in callers.items()
    }
    return dict(sorted({**kept, **chosen}.items()))


def places_of(folder: Path) -> dict[str, set[str]]:
    """The names that each place has called, as the processes of a run have written them."""
    places: dict[str, set[str]] = defaultdict(set)
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            place, names = json.loads(line)
            places[place].update(names)
    return places


def main() -> None:
    """Run tests, and renew the record."""
    tests = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = {**kept, FOLDER: folder, SEED: EVERY}
        command = [sys.executable, "-m", "pytest", "-q", *(tests or ["tests/tvm", "-n", "2"])]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        made = record(places_of(Path(folder)), recorded() if tests else {})
    RECORD.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
