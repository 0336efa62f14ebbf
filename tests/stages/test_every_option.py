"""Whatever option changes, a compilation that goes on from another one emits the bytes of a new one."""

from dataclasses import fields

import pytest

from s2s.compilation import Compilation
from s2s.emit.stream import pieces
from s2s.errors import CompilerBug
from s2s.options import CompileOptions
from s2s.options.declaration import options_of, seen_by
from s2s.stages.devices import STAGES as OF_DEVICES
from s2s.stages.order import BY_KIND, STAGE_NAMES, STAGES
from support.option_changes import CHANGES, Change
from support.options_read import read_in_stages

EVERY = [(name, change) for name, changes in CHANGES.items() for change in changes]
NAMES = [f"{name}-{number}" for name, changes in CHANGES.items() for number in range(len(changes))]


def files(compilation: Compilation) -> dict[str, bytes]:
    return {path: b"".join(pieces(content)) for path, content in compilation.tree.files.items()}


def test_every_option_has_a_change():
    assert sorted(CHANGES) == sorted(each.name for each in fields(CompileOptions))


@pytest.mark.parametrize(("name", "change"), EVERY, ids=NAMES)
def test_resumed_compilation_emits_the_bytes_of_a_new_one(name: str, change: Change):
    before, after = change.options(name)
    one, other = Compilation(change.network(), before), Compilation(change.network(), after)
    for stage in STAGE_NAMES:
        one.at(stage)
        other.at(stage)
    wanted = files(one), files(other)
    assert (files(other.resume(before)), files(one.resume(after))) == wanted
    assert (wanted[0] != wanted[1]) == change.changes_tree


@pytest.mark.parametrize("stage", STAGE_NAMES)
def test_options_name_the_stages_that_read_them(stage: str):
    [decides] = [each.decides for each in STAGES if each.name == stage]
    by_kind = set(BY_KIND) if decides else set[str]()
    by_part = {"devices"} if stage in OF_DEVICES else set[str]()
    assert set(options_of(CompileOptions, stage)) == read_in_stages()[stage] | by_kind | by_part


def test_an_option_that_does_not_name_a_stage_is_hidden_from_it():
    with pytest.raises(CompilerBug, match="stage graph reads option scratch, which does not name it"):
        _ = seen_by(CompileOptions(), "graph").scratch
