"""What targets say of caches: fixed data for every name, and what Linux tells for this machine."""

from pathlib import Path

import pytest

from s2s.targets import TARGET_NAMES, get_target
from s2s.targets.caches import cache_bytes, line_bytes


@pytest.mark.parametrize("name", TARGET_NAMES)
def test_a_second_cache_is_larger_than_the_first(name: str) -> None:
    target = get_target(name)
    assert target.l1_bytes == target.l2_bytes == 0 or 0 < target.l1_bytes < target.l2_bytes


def _cache(folder: Path, **facts: str) -> None:
    folder.mkdir()
    for name, text in facts.items():
        (folder / name).write_text(text + "\n", encoding="ascii")


def test_caches_are_read_where_linux_tells_them(tmp_path: Path) -> None:
    _cache(tmp_path / "index0", level="1", type="Data", size="48K", coherency_line_size="128")
    _cache(tmp_path / "index1", level="1", type="Instruction", size="16K", coherency_line_size="64")
    _cache(tmp_path / "index2", level="2", type="Unified", size="2048K", coherency_line_size="128")
    assert [cache_bytes(level, 7, tmp_path) for level in (1, 2, 3)] == [48 << 10, 2 << 20, 7]
    assert line_bytes(tmp_path) == 128


def test_caches_have_usual_sizes_where_nothing_tells(tmp_path: Path) -> None:
    assert cache_bytes(1, 32 << 10, tmp_path) == 32 << 10
    assert line_bytes(tmp_path) == 64
