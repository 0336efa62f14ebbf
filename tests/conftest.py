"""Collects `.mlir` files beside the Python tests, takes samples of expensive ones, and has some share a process.

Each RUN line is one test. Each RUN line of a test of a pass is a second one: that the pass keeps the numbers.
"""

import gc
import logging
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support.mlir import RunLineError, run_command, run_lines
from support.numbers import check_numbers
from support.project import ROOT
from support.sampling import MARKER, SEED, choose_seed, left_out
from support.scheduling import scope_of
from support.temporary import use_memory
from support.threads import use_one_thread

INNER_FRAMES = 6

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
"""An example takes as long as the machine lets it: no property is about time."""

PASSES = ROOT / "tests" / "passes"
"""Tests of passes; there is an interpreter for what all of them work on, except c, which is compiled and run."""


class MlirFile(pytest.File):
    """An `.mlir` file with RUN lines."""

    def collect(self) -> Iterator["MlirRun | MlirNumbers"]:
        """Yield one test for each RUN line; a file without one would check nothing and is refused."""
        commands = run_lines(self.path.read_text())
        if not commands:
            raise self.CollectError(f"{self.path.name}: no RUN line; it wants `// RUN: s2s-opt %s | filecheck %s`")
        for number, command in enumerate(commands, 1):
            suffix = "" if len(commands) == 1 else str(number)
            yield MlirRun.from_parent(self, name=f"run{suffix}", command=command)  # pyright: ignore[reportUnknownMemberType]
            if self.path.is_relative_to(PASSES) and not self.path.is_relative_to(PASSES / "c"):
                numbers = MlirNumbers.from_parent(self, name=f"numbers{suffix}", command=command)  # pyright: ignore[reportUnknownMemberType]
                yield numbers


class MlirRun(pytest.Item):
    """One RUN line of an `.mlir` file."""

    def __init__(self, *, command: str, name: str, parent: MlirFile) -> None:
        super().__init__(name, parent)  # pyright: ignore[reportUnknownMemberType]
        self.command = command

    def runtest(self) -> None:
        """Run the pipe."""
        run_command(self.command, self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Show what the pipe printed, or the innermost frames: the outer ones are pytest and this collector."""
        if isinstance(excinfo.value, RunLineError):
            return str(excinfo.value)
        return "".join(traceback.format_exception(excinfo.value, limit=-INNER_FRAMES))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the test after the file, as pytest's summary wants it."""
        return self.path, 0, f"{self.path.name}: {self.command}"


class MlirNumbers(MlirRun):
    """The functions of an `.mlir` file, run before and after the passes of one RUN line."""

    def runtest(self) -> None:
        """Compare the numbers; a file of refusals, or of operations that mean nothing, has none."""
        if check_numbers(self.command, self.path) == 0:
            pytest.skip("no function can be run before and after")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep tests that share work in one process."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

    class SharedWork(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid)

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            """Forget a scope that is done: after each test all are looked through, and most are of one test."""
            super().mark_test_complete(node, item_index, duration)
            work: Any = self.assigned_work[node]
            scope = scope_of(self.registered_collections[node][item_index])
            if all(work[scope].values()):
                del work[scope]

    return SharedWork(config, log)


@pytest.fixture(autouse=True)
def process_is_left_as_it_was() -> Iterator[None]:
    """Fail the test that changes what all tests of a process share, in place of one that comes later."""
    before = logging.getLogger().level, Path.cwd()
    yield
    assert (logging.getLogger().level, Path.cwd()) == before, "the level of the root logger, or the working directory"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of the samples, the temporary folder and the threads before other processes start."""
    use_memory()
    use_one_thread()
    config.addinivalue_line("markers", MARKER)
    seed = choose_seed()
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = seed


def pytest_collection_finish() -> None:
    """Look for garbage rarely: the tests that wait are a million objects, and none of them is ever garbage."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def pytest_report_header() -> str:
    """Say how to repeat the run."""
    return f"samples: {SEED}={choose_seed()}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that this run does not take."""
    if others := left_out(items, choose_seed()):
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect every `.mlir` file under tests/."""
    if file_path.suffix != ".mlir":
        return None
    return MlirFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
