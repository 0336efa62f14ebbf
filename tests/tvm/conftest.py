"""Watches which names of TVM the tests call: `support/tvm_calls.py` says what for."""

import os
from collections.abc import Generator
from typing import Any

import pytest

from support.tvm_calls import FOLDER, Watch, missing_places, watch_of

WATCH = pytest.StashKey[Watch]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse a record that names tests which whole files do not have."""
    if any("::" in each for each in config.args) or (missing := missing_places([each.nodeid for each in items])) == []:
        return
    raise pytest.UsageError(
        f"docs/tvm_calls.json: there are no {', '.join(missing)}; run `python -m support.tvm_calls`"
    )


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Record what the import of a file calls. It is not held to that: what files share, the first one imports."""
    if FOLDER not in os.environ:
        return (yield)
    with watch_of(collector.nodeid).block():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """Watch what several tests share."""
    if fixturedef.scope == "function":
        return (yield)
    with watch_of(f"{fixturedef.baseid}::{fixturedef.argname}").block():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch what a test makes first."""
    item.stash[WATCH] = watch_of(item.nodeid)
    with item.stash[WATCH].block(is_last=False):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the test, and fail it if it calls its names no more."""
    with item.stash[WATCH].block(getattr(item, "module", None)):
        return (yield)
