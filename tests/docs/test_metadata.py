"""The page of metadata.json names every field of the records of trees."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from docs.metadata_fields import FIELDS
from support.trees import written


def paths(value: object, at: str = "") -> Iterator[str]:
    """The paths to what a record holds, down to where the page describes it."""
    if at in FIELDS:
        yield at
    elif isinstance(value, dict):
        for key, inner in cast(dict[str, Any], value).items():
            yield from paths(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list) and value:
        yield from paths(cast(list[object], value)[0], f"{at}[]")
    else:
        yield at


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_every_field_is_described(executor: str):
    record = json.loads((written("digits", "c", executor) / "metadata.json").read_text())
    found = set(paths(record))
    assert found <= set(FIELDS)
    always = {path for path, (_, meaning) in FIELDS.items() if "only" not in meaning and path != "packaging"}
    assert always - {"devices"} <= found
