"""The files that are no Python are found through the package."""

import pytest

from s2s.errors import CompilerBug
from s2s.support.resources import runtime_files, runtime_source
from support.project import PACKAGES


def test_lists_every_file_of_the_runtime():
    folder = PACKAGES["s2s.runtime_c"]
    on_disk = {path.relative_to(folder).as_posix() for path in folder.rglob("*.[ch]")}
    assert runtime_files() == sorted(on_disk)


def test_reads_a_file_of_the_runtime():
    assert "S2S_OK" in runtime_source("include/s2s.h")


def test_missing_file_is_a_bug():
    with pytest.raises(CompilerBug, match=r"s2s\.runtime_c holds no file include/none\.h"):
        runtime_source("include/none.h")
