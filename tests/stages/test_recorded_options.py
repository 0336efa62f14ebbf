"""The record of a tree states the options of its compilation, and gives them back."""

import json
from dataclasses import fields
from typing import Any

import pytest

from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.options.declaration import is_recorded
from s2s.options.recorded import options_of_record, recorded
from support.option_changes import CHANGES, Change

EVERY = [(name, change) for name, changes in CHANGES.items() for change in changes]
NAMES = [f"{name}-{number}" for name, changes in CHANGES.items() for number in range(len(changes))]


def record(given: dict[str, Any], target: str = "c") -> dict[str, Any]:
    return {"name": "net", "target": {"name": target}, "options": given}


@pytest.mark.parametrize(("name", "change"), EVERY, ids=NAMES)
def test_options_are_those_of_the_record(name: str, change: Change):
    for options in change.options(name):
        stated = json.loads(json.dumps(recorded(options)))
        found = options_of_record(record(stated))
        for each in fields(CompileOptions):
            if is_recorded(each) and each.name != "target":
                assert getattr(found, each.name) == getattr(options, each.name), each.name


def test_nothing_is_stated_of_options_by_default():
    assert recorded(CompileOptions(target="cortex-m4")) == {}


def test_trust_in_a_file_is_not_recorded():
    assert recorded(CompileOptions(trust_model=True, untrusted=True)) == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"speed": 1}, "states an option 'speed' that this version does not have; compile the tree again"),
        ({"trust_model": True}, "states an option 'trust_model' that this version does not have"),
        ({"pools": [1]}, "an option has another form"),
        ({"states": 3}, "states: int given"),
    ],
    ids=["unknown", "trust", "form", "value"],
)
def test_a_record_of_another_form_is_refused(given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        options_of_record(record(given))
