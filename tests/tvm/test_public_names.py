"""Every public name of TVM's modules is there, or is refused with the reason; `public_names.json` has them of 0.12.

The list is made of the functions and classes of TVM's files in Python; modules that other tests compare by function
(`signatures.json`) are not in it.
"""

import importlib
import json
from typing import Any

import pytest

from s2s.errors import S2SError
from s2s.tvm.relay.transform import REFUSED
from support.project import ROOT

NAMES: dict[str, list[str]] = json.loads((ROOT / "tests" / "tvm" / "public_names.json").read_text(encoding="utf-8"))


def found(module: str, name: str) -> object:
    value: Any = importlib.import_module("s2s.tvm")
    for part in [*filter(None, module.split(".")), name]:
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("module", NAMES, ids=lambda module: module or "tvm")
def test_a_name_of_tvm_is_there_or_refused_with_a_reason(module: str):
    missing: list[str] = []
    reasons: list[str] = []
    for name in NAMES[module]:
        try:
            found(module, name)
        except S2SError as error:
            reasons.append(str(error))
        except AttributeError:
            missing.append(name)
    assert missing == []
    assert all(": " in each for each in reasons)


def test_all_operators_of_relay_are_compared():
    counts = {module: len(names) for module, names in NAMES.items()}
    assert counts["relay"] > 200
    assert counts["relay.nn"] == 77
    assert (counts["relay.image"], counts["relay.vision"], counts["relay.random"]) == (7, 9, 6)
    assert counts["relay.transform"] >= 64 > len(REFUSED)


def test_a_name_of_nobody_is_missing():
    with pytest.raises(AttributeError):
        found("relay", "no_such_name")
