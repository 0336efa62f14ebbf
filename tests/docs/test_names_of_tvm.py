"""The page for users of TVM: every name that it lists is there, and its state is one of three."""

import importlib
import re
import shutil
from pathlib import Path

import pytest

from docs import tvm_names
from s2s.tvm.runtime import remove_global_func
from support.project import ROOT

PAGE = (ROOT / "docs" / "how-to" / "coming-from-tvm.md").read_text(encoding="utf-8")
HEADER = (ROOT / "runtime_c" / "include" / "s2s_tvm.h").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.*?) \| (same|differs so|refused because) \|", PAGE, re.MULTILINE)
LISTED = [(name, state) for names, state in ROWS for name in re.findall(r"`([\w.]+)`", names)]
THERE = [name for name, state in LISTED if state != "refused because" and name != "config"]


def is_there(name: str) -> bool:
    """Whether `s2s.tvm` has a name, or the C header has it."""
    if name.startswith("TVM"):
        return re.search(rf"\b{name}\(", HEADER) is not None
    path = "s2s" if name.startswith("s2s.") else "s2s.tvm"
    found: object = importlib.import_module(path)
    for part in name.removeprefix("s2s.").split("."):
        path = f"{path}.{part}"
        if not hasattr(found, part):
            try:
                importlib.import_module(path)
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def test_its_programs_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "digits" / "digits.onnx", tmp_path)
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == 2
    try:
        for program in programs:
            exec(compile(program, "coming-from-tvm.md", "exec"), {})
    finally:
        remove_global_func("app.scale")
    assert (tmp_path / "digits.tar").is_file()
    assert (tmp_path / "digits" / "include" / "digits.h").is_file()


def test_all_tables_are_read():
    states = [state for _, state in ROWS]
    assert min(states.count(state) for state in ("same", "differs so", "refused because")) >= 3
    rows = [line for line in PAGE[PAGE.index("## Every name") :].splitlines() if line.startswith("| ")]
    assert len(ROWS) == len([row for row in rows if not row.startswith("| name ")])


@pytest.mark.parametrize("name", sorted(set(THERE)))
def test_a_listed_name_is_there(name: str):
    assert is_there(name)


def test_a_test_calls_each_name_of_a_module():
    assert tvm_names.untested() == []


def test_the_tests_that_call_names_are_there():
    for place in set(tvm_names.notes(tvm_names.CALLS).values()):
        file, _, function = place.partition("[")[0].partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"\ndef {function}(" in text or not function, place


def test_a_name_that_is_not_there_is_told():
    assert not is_there("transform.NoSuchPass")
    assert not is_there("TVMNoSuchFunction")
