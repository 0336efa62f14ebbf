"""Targets from outside the package reach every pass: files, objects and entry points."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import s2s
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.targets import get_target, print_target, target_names
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
MODULE = """
import s2s
from s2s.targets import get_target
from dataclasses import replace

CORE = s2s.Target(name="acme-core", registers=24)
NUMBER = 3

def made():
    return replace(get_target("cortex-m4"), name="acme-made")

def broken():
    raise OSError("no licence")
"""
POINTS = """[s2s.targets]
acme-core = acme_targets:CORE
acme-made = acme_targets:made
acme-number = acme_targets:NUMBER
acme-broken = acme_targets:broken
c = acme_targets:CORE
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings targets."""
    info = tmp_path / "acme_targets-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-targets\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (tmp_path / "acme_targets.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()


def files_of(target: str | s2s.Target) -> dict[str, bytes]:
    """The tree of a small network."""
    tree = s2s.compile(DIGITS, target=target).tree()
    return {name: b"".join(pieces(content)) for name, content in tree.files.items()}


def test_a_file_emits_what_the_target_does(tmp_path: Path):
    path = tmp_path / "copy.toml"
    path.write_text(print_target(get_target("x86-64-v3")))
    assert files_of(str(path)) == files_of("x86-64-v3")


def test_an_object_reaches_the_passes():
    narrow = replace(get_target("x86-64-v4"), name="narrow", lanes=4, align=16)
    kernels = files_of(narrow)["src/digits_kernels.c"]
    assert b"s2s_f32x4" in kernels
    assert b"s2s_f32x16" not in kernels


def test_an_object_named_as_a_target_of_the_package_is_taken():
    narrow = replace(get_target("x86-64-v4"), lanes=4, align=16)
    assert b"s2s_f32x16" not in files_of(narrow)["src/digits_kernels.c"]


@pytest.mark.usefixtures("acme")
def test_entry_points_bring_targets():
    assert get_target("acme-core").registers == 24
    assert get_target("acme-made") == replace(get_target("cortex-m4"), name="acme-made")
    assert {"acme-core", "acme-made"} <= set(target_names())


@pytest.mark.usefixtures("acme")
def test_entry_points_do_not_replace_targets_of_the_package():
    assert get_target("c").name == "c"


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("acme-number", r"acme_targets:NUMBER\): is neither an s2s.Target nor a function that gives one"),
        ("acme-broken", r"acme_targets:broken\): cannot be loaded \(OSError\('no licence'\)\)"),
    ],
)
def test_entry_points_that_bring_none_are_refused(name: str, fact: str):
    with pytest.raises(InputError, match=f"target {name} .{fact}"):
        get_target(name)


def test_misspelled_names_are_guessed():
    with pytest.raises(InputError, match=r"--target cortexm4: there is no such target; did you mean cortex-m4\?"):
        get_target("cortexm4")
