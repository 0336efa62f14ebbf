"""Entry points of installed packages are found as `importlib.metadata` finds them, without reading all metadata."""

import importlib.metadata
import subprocess
import sys
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from s2s.support.entry_points import entry_points, may_have_entry_points

GROUP = "s2s.gadgets"
TEXT = f"[other.group]\nx = other:X\n\n[{GROUP}]\none = gadgets:ONE\n"
METADATA = "Metadata-Version: 2.1\nName: gadgets\nVersion: 1.0\n"


def installed(place: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package in a folder of `sys.path`, described in `folder` there."""
    (place / folder).mkdir(parents=True)
    (place / folder / "METADATA").write_text(METADATA)
    (place / folder / "PKG-INFO").write_text(METADATA)
    (place / folder / "entry_points.txt").write_text(TEXT)
    monkeypatch.syspath_prepend(place)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("folder", ["gadgets-1.0.dist-info", "gadgets.egg-info", "gadgets.egg/EGG-INFO"])
def test_a_package_that_names_the_group_is_found(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    egg, _, inner = folder.rpartition("/")
    installed(tmp_path / egg, inner, monkeypatch)
    (point,) = entry_points(group=GROUP)
    assert (point.name, point.value) == ("one", "gadgets:ONE")
    assert [*entry_points(group=GROUP)] == [*importlib.metadata.entry_points(group=GROUP)]


def test_a_zipped_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "gadgets.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("gadgets-1.0.dist-info/METADATA", METADATA)
        archive.writestr("gadgets-1.0.dist-info/entry_points.txt", TEXT)
    monkeypatch.syspath_prepend(path)  # pyright: ignore[reportUnknownMemberType]
    assert [each.name for each in entry_points(group=GROUP)] == ["one"]


def test_packages_of_finders_of_their_own_are_asked_for(monkeypatch: pytest.MonkeyPatch):
    class Finder:
        """Finds packages that are in no folder."""

        @staticmethod
        def find_distributions(context: object) -> list[importlib.metadata.Distribution]:
            return []

        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            return None

    of_python = [each for each in sys.meta_path if each is PathFinder or not hasattr(each, "find_distributions")]
    monkeypatch.setattr(sys, "meta_path", of_python)  # without those that packages of other tests have brought
    assert not may_have_entry_points(GROUP)
    monkeypatch.setattr(sys, "meta_path", [*of_python, Finder])
    assert may_have_entry_points(GROUP)


def test_metadata_is_not_read_where_nothing_names_the_group():
    program = (
        f"import sys; from s2s.support.entry_points import entry_points; assert not entry_points(group={GROUP!r});"
        "assert 'importlib.metadata' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
