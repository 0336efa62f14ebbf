"""The page of TVM's names: what each is here, told by the tests that call it.

*Same* stands only where a test calls the name, which `docs/tvm_calls.json` records of runs of `tests/tvm`; a name in
`tests/tvm/signatures_differ.json`, in `defaults_differ.json` there or in `tvm_differs.json` *differs so*; one in
`tvm_refused.json` is *refused because*. What no test calls says so.
"""

import importlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import tvm_tests
from s2s.tvm.refusals import ALL
from s2s.tvm.relay import transform

ROOT = Path(__file__).parent.parent
PACKAGE = "s2s.tvm"
MODULES = (
    "", "relay", "relay.nn", "relay.image", "relay.vision", "relay.qnn.op", "relay.qnn.transform",
    "relay.transform", "relay.dataflow_pattern",
    "relay.frontend", "relay.testing", "relay.analysis", "te",
    "tir", "topi", "topi.nn", "topi.utils", "autotvm", "autotvm.task", "autotvm.task.space", "autotvm.tuner",
    "autotvm.callback", "autotvm.record", "autotvm.graph_tuner", "autotvm.utils", "autotvm.env", "te.tag",
    "target", "runtime", "nd", "ir", "transform",
    "instrument",
    "contrib.graph_executor", "contrib.aot_executor", "contrib.debugger.debug_executor", "contrib.utils", "contrib.cc",
    "contrib.cblas", "rpc", "micro", "micro.project", "micro.session", "micro.testing", "driver",
    "driver.tvmc", "support", "testing",
)  # fmt: skip
"""The public modules; the first one is the package itself."""
CALLS = "tvm_calls.json"
Notes = Mapping[str, str]


@cache
def notes(file: str) -> Notes:
    """A file of notes beside this one: a text for each name."""
    return json.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))


def module_named(name: str) -> ModuleType:
    """A public module."""
    path = {"nd": "runtime.ndarray", "autotvm.callback": "autotvm.tuner.callback"}.get(name, name)
    return importlib.import_module(f"{PACKAGE}.{path}".rstrip("."))


def names_of(module: ModuleType) -> list[str]:
    """The functions and classes that a module offers."""
    listed: list[str] = list(getattr(module, "__all__", ()) or vars(module))
    public = [each for each in listed if not each.startswith("_")]
    return sorted({each for each in public if is_offered(getattr(module, each, None))})


def is_offered(value: object) -> bool:
    """Whether a value is a function or a class of the package."""
    kind = inspect.isclass(value) or inspect.isroutine(value)
    return kind and str(getattr(value, "__module__", "")).startswith("s2s.")


@cache
def called() -> Mapping[str, str]:
    """The test that has called a name, by `python -m support.tvm_calls`."""
    return {name: shown([place.removeprefix("tests/").partition("[")[0]]) for name, place in notes(CALLS).items()}


@cache
def _compared(file: str) -> dict[str, Any]:
    """A list of differences that `tests/tvm/test_signatures.py` checks."""
    return json.loads((ROOT / "tests" / "tvm" / f"{file}.json").read_text(encoding="utf-8"))


def state_of(name: str) -> tuple[str, str]:
    """The state of a name, and what to know of it."""
    refused, differs = notes("tvm_refused.json"), notes("tvm_differs.json")
    signatures, defaults = (_compared(f"{each}_differ") for each in ("signatures", "defaults"))
    if name in refused:
        return "refused because", refused[name]
    if name in differs:
        return "differs so", differs[name]
    arguments = signatures.get(name, signatures.get(f"tvm.{name}"))
    if arguments is not None:
        return "differs so", f"arguments: {', '.join(f'`{each}`' for each in arguments) or 'none'}"
    if name in defaults:
        return "differs so", f"defaults: {', '.join(f'`{key}={text}`' for key, text in defaults[name].items())}"
    if name in called():
        return "same", called()[name]
    return "untested", "no test calls it"


def tvm_page() -> str:
    """Every name of the public modules with its state, then the mechanisms of the comparison with TVM."""
    lines = ["# Names of TVM\n", " ".join(inspect.cleandoc(__doc__ or "").split("\n\n")[1].split()), ""]
    counts = Counter[str]()
    body: list[str] = []
    for module in MODULES:
        found = module_named(module)
        body += [f"\n## {f'tvm.{module}'.rstrip('.')}\n", "| name | state | test, or what to know |", "|---|---|---|"]
        for name in names_of(found):
            state, note = state_of(f"{module}.{name}".lstrip("."))
            counts[state] += 1
            body.append(f"| `{name}` | {state} | {note} |")
    refused = [f"| `{name}` | {reason} |" for name, reason in sorted(refusals().items())]
    lines.append(", ".join(f"{count} {state}" for state, count in sorted(counts.items())) + ".")
    lines.append(f"\n{len(refused)} names are refused by name, below the tables of modules.")
    return (
        "\n".join(
            [
                *lines,
                *body,
                "\n## Refused by name\n",
                "| name | because |",
                "|---|---|",
                *refused,
                *mechanisms(),
                *foreign_tests(),
            ]
        )
        + "\n"
    )


def untested() -> list[str]:
    """The names that no test calls, which there are to be none of."""
    names = [f"{each}.{name}".lstrip(".") for each in MODULES for name in names_of(module_named(each))]
    return [name for name in names if state_of(name)[0] == "untested"]


def refusals() -> dict[str, str]:
    """The names that are not there, each with the reason that whoever calls it is told."""
    listed = {f"{module}.{name}": text for module, names in ALL.items() for name, text in names.items()}
    passes = {f"relay.transform.{name}": text for name, text in transform.REFUSED.items()}
    return {**listed, **passes, **notes("tvm_refused.json")}


def foreign_tests() -> list[str]:
    """The table of TVM's own tests, which `benchmarks.tvm_tests --record` has run."""
    records: dict[str, dict[str, int]] = json.loads(
        (Path(__file__).parent / "tvm_tests.json").read_text(encoding="utf-8")
    )
    kinds = ("passed", "refused", "wrong", "failed")
    lines = [
        "\n## TVM's own tests\n",
        " ".join(inspect.cleandoc(tvm_tests.__doc__ or "").split("\n\n")[2].split()),
        "",
        f"| file of `tests/python` | one of | {' | '.join(kinds)} |",
        f"|---|{'--:|' * (len(kinds) + 1)}",
    ]
    for path, counts in records.items():
        cells = [counts["one of"], *(counts[kind] for kind in kinds)]
        lines.append(f"| `{path.removeprefix('tests/python/')}` | {' | '.join(map(str, cells))} |")
    operators = share_of({path: counts for path, counts in records.items() if "test_op_level" in path})
    driver = share_of({path: counts for path, counts in records.items() if "/tvmc/" in path})
    others = share_of(
        {path: counts for path, counts in records.items() if "test_op_level" not in path and "/tvmc/" not in path}
    )
    return [
        *lines,
        "",
        f"Of these files, without skipped tests, {share_of(records)} pass, weighed by the samples: {operators} of the "
        f"tests of relay's operators, which are many of few functions, {driver} of those of the driver, some of whose "
        f"files import a module that is refused, and {others} of the others.",
    ]


def share_of(records: Mapping[str, Mapping[str, int]]) -> str:
    """The share of tests that pass, without skipped ones; a test stands for the tests that it was drawn from."""
    passed, asked = (
        sum(counts[kind] * counts["one of"] for counts in records.values() for kind in kinds)
        for kinds in (("passed",), ("passed", "refused", "wrong", "failed"))
    )
    return f"{passed / asked:.1%}"


def escaped(text: str) -> str:
    """Text whose brackets and marks are shown as they are."""
    return re.sub(r"([\[\]*_<>])", r"\\\1", text)


def mechanisms() -> list[str]:
    """The table of mechanisms: the state of each, and the tests that show it."""
    rows: list[dict[str, Any]] = json.loads((Path(__file__).parent / "tvm_mechanisms.json").read_text(encoding="utf-8"))
    counts = Counter(str(row["state"]) for row in rows)
    said = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    lines = [
        "\n## Mechanisms\n",
        f"{len(rows)} mechanisms compared with TVM 0.12, each tried as its documentation writes it: {said}.",
        "",
        "| part | mechanism | state | what to know | tests |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (row["part"], escaped(row["mechanism"]), row["state"], row["note"], shown(row["tests"]))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def shown(tests: Iterable[str]) -> str:
    """Tests by their files in `tests/tvm` and their names."""
    return ", ".join(f"`{test.removeprefix('tvm/').replace('::test_', ': ')}`" for test in tests)
