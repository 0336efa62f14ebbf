"""The page about additions to schedules: its program runs, and the files that it names are there."""

import re
from collections.abc import Iterator

import pytest
from xdsl.dialects.builtin import IntAttr
from xdsl.parser import Parser

from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.schedules.directives import Unroll, registered
from support.project import ROOT

PAGE = (ROOT / "docs" / "how-to" / "extend-schedules.md").read_text(encoding="utf-8")
FILES = sorted(set(re.findall(r"`((?:s2s|dialects|tests)/[\w/.]+)`", PAGE)) - {"s2s/schedules/directives/NAME.py"})


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(registered, "_REGISTERED", {})
        yield


def test_the_program_defines_a_directive_that_schedules_may_have(forgotten: None):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, type[tensor.Directive]] = {"__name__": str}  # pyright: ignore[reportAssignmentType]
    exec(program, names)
    text = "#tensor.schedule<[unroll<1 by 2>, mine.touch<0>]>"
    unroll = Unroll.of({1: 2})
    assert Parser(CompilerContext(), text).parse_attribute() == tensor.ScheduleAttr.of(
        [unroll, names["Touch"].new([IntAttr(0)])]
    )


@pytest.mark.parametrize("file", FILES)
def test_the_files_that_it_names_are_there(file: str):
    assert (ROOT / file).exists()
