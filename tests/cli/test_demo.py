"""`s2s demo` writes, builds and runs a project whose network is right about samples that it has not seen."""

import itertools
from pathlib import Path

import pytest

from s2s.cli.main import run as s2s
from s2s.demos.language import FOLLOWERS
from s2s.demos.names import NAMES
from s2s.demos.registry import demos
from support.boards import board_or_skip
from support.c_compilers import require, run


def test_every_name_is_that_of_a_demo():
    assert tuple(demos()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_demo_is_right_about_new_samples(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    require("make")
    folder = tmp_path / "demo"
    assert s2s(["demo", name, "-o", str(folder)]) == 0
    said = capsys.readouterr().out
    count = len(demos()[name].make().labels)
    assert f"{count} of {count} right" in said
    assert "WRONG" not in said
    assert f"make -C {folder} run" in said
    assert (folder / name / "metadata.json").is_file()
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{name}/include", f"-I{name}/runtime/include"]
    run([require("gcc"), *flags, "main.c", f"{name}/build/lib{name}.a", "-lm", "-o", "own"], folder)
    assert f"{count} of {count} right" in run([folder / "own"], folder)


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_of_every_class_and_the_same_bytes_come_again(name: str):
    first, second = demos()[name].make(), demos()[name].make()
    assert first.model == second.model
    assert first.samples.tobytes() == second.samples.tobytes()
    assert set(first.labels) == set(range(len(demos()[name].classes)))
    assert len({sample.tobytes() for sample in first.samples}) == len(first.labels)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_an_emulated_board_gives_the_answer(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    assert s2s(["demo", name, "--on", "qemu:m4", "-o", str(tmp_path / "demo")]) == 0
    said = capsys.readouterr().out
    assert "as expected: yes" in said
    assert "instructions (emulated)" in said


def test_words_of_the_language_model_follow_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("gguf")
    require("make")
    assert s2s(["demo", "chat", "-o", str(tmp_path / "demo")]) == 0
    said = capsys.readouterr().out.splitlines()[1]
    words = ["cat ", *(f"{word} " for word in said.split())]
    assert len(words) > 10
    for before, after in itertools.pairwise(words):
        assert after in FOLLOWERS[before]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kws"], "is there already; name a new folder with --output"),
        (["chat"], "is there already; name a new folder with --output"),
        (["kws", "--on", "serial:/dev/ttyACM0"], "a demo runs here or in an emulator; give host or qemu:m4"),
        (["chat", "--on", "qemu:m4"], "the language model runs on this machine; leave --on out"),
        (["kws", "--on", "qemu:m9"], "there is no such board"),
    ],
    ids=["there", "chat-there", "board", "chat-board", "unknown"],
)
def test_what_cannot_be_is_refused(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "demo"
    if "--on" not in words:
        folder.mkdir()
    assert s2s(["demo", *words, "-o", str(folder)]) == 2
    assert message in capsys.readouterr().err
    assert not folder.exists() or not list(folder.iterdir())
