"""Whatever is wrong with a model, an option or the machine: one line with place, fact and way out, and no tree."""

import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from s2s.cli.main import run
from s2s.data.arrays import UNNAMED, named
from s2s.errors import InputError
from support.onnx_text import onnx_file
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


@dataclass(frozen=True)
class Case:
    """A model, and what a user has to be told about it."""

    body: str
    place: str
    fact: str
    way_out: str
    exit_code: int = 2
    opset: int = 17


CASES = {
    "old opset": Case(
        "(float[1, 4] x) => (float[1, 4] y) { y = Relu(x) }",
        r"Relu_y \(Relu\): ",
        "opset 2",
        "export with a later opset",
        exit_code=3,
        opset=2,
    ),
    "opset of the future": Case(
        "(float[1, 4] x) => (float[1, 4] y) { y = Relu(x) }",
        r"model\.onnx: ",
        "opset 999",
        "export with a supported opset",
        exit_code=3,
        opset=999,
    ),
    "unknown operator": Case(
        "(float[1, 4] x) => (float[1, 4] y) { [step] y = Frobnicate(x) }",
        r"step \(Frobnicate\): ",
        "no operator of opset 17",
        "replace it by standard operators",
        3,
    ),
    "cycle": Case(
        "(float[1, 4] x) => (float[1, 4] y) { [one] a = Add(x, b) [two] b = Relu(a) y = Relu(b) }",
        r"one \(Add\): ",
        "cycle",
        ";",
    ),
    "missing initializer": Case(
        "(float[1, 4] x) => (float[1, 4] y) { [one] y = Add(x, w) }",
        r"one \(Add\): ",
        "'w'",
        ";",
    ),
    "open dimension": Case(
        "(float[N, 4] x) => (float[N, 4] y) { y = Relu(x) }",
        r"input x",
        "N",
        "--shape x=",
    ),
    "shapes that do not fit": Case(
        "(float[1, 4] x, float[1, 3] z) => (float[1, 4] y) { [one] y = Add(x, z) }",
        r"one \(Add\): ",
        "4.*3",
        "check the shapes",
    ),
    "types that do not fit": Case(
        "(float[1, 4] x, int64[1, 4] z) => (float[1, 4] y) { [one] y = Add(x, z) }",
        r"one \(Add\): ",
        "int64",
        ";",
    ),
    "name defined twice": Case(
        "(float[1, 4] x) => (float[1, 4] y) { [one] y = Relu(x) [two] y = Exp(x) }",
        r"two \(Exp\): ",
        "'y'",
        ";",
    ),
}


def complaint(
    args: list[str | Path], exit_code: int, capsys: pytest.CaptureFixture[str], folder: Path, lines: int = 1
) -> str:
    """Run `s2s` and return what it complains of, once the rest of the promise is checked."""
    before = sorted(folder.rglob("*"))
    code = run([str(each) for each in args])
    shown = capsys.readouterr()
    assert code == exit_code, shown.err
    assert shown.out == ""
    assert len(shown.err.splitlines()) == lines, shown.err
    assert all(line.startswith("s2s: error: ") for line in shown.err.splitlines())
    assert sorted(folder.rglob("*")) == before, "a half-written tree is left behind"
    return shown.err


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bad_model(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = onnx_file(case.body, tmp_path, case.opset)
    said = complaint(["compile", file, "-o", tmp_path / "out"], case.exit_code, capsys, tmp_path)
    for part in (case.place, case.fact, case.way_out):
        assert re.search(part, said), said


def test_every_unsupported_node_is_named_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = onnx_file("(float[4] x) => (float[4] y) { [one] a = Frob(x) [two] y = Nicate(x) }", tmp_path)
    said = complaint(["compile", file, "-o", tmp_path / "out"], 3, capsys, tmp_path, lines=2)
    assert "one (Frob)" in said
    assert "two (Nicate)" in said


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (DIGITS.read_bytes()[:5000], "damaged"),
        (b"MZ\x90 this is no model at all", "no ONNX model"),
        (b"", "no ONNX graph"),
    ],
    ids=["truncated", "not a protobuf", "empty"],
)
def test_bad_file(content: bytes, fact: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "model.onnx"
    file.write_bytes(content)
    said = complaint(["compile", file, "-o", tmp_path / "out"], 2, capsys, tmp_path)
    assert f"{file}: " in said
    assert fact in said


def test_no_such_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", tmp_path / "none.onnx", "-o", tmp_path / "out"], 2, capsys, tmp_path)
    assert f"{tmp_path / 'none.onnx'}: cannot be read (No such file or directory)" in said


def test_shape_option_for_an_input_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out", "--shape", "x=1,2"], 2, capsys, tmp_path)
    assert re.search(r"x.*image", said)


def test_shape_option_that_contradicts_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out", "--shape", "image=1,1,9,9"], 2, capsys, tmp_path)
    assert re.search(r"image.*9.*8", said)


def test_output_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "file").write_text("in the way")
    said = complaint(["compile", DIGITS, "-o", tmp_path / "file" / "out"], 2, capsys, tmp_path)
    assert str(tmp_path / "file") in said


def test_output_that_holds_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out"], 2, capsys, tmp_path)
    assert str(tmp_path / "out") in said


@pytest.mark.parametrize("name", ["int", "1st", "a-b", "", "s2s"])
def test_name_that_is_no_name_in_c(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out", "--name", name], 2, capsys, tmp_path)
    assert f"--name {name}" in said or repr(name) in said


def test_target_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out", "--target", "z80"], 2, capsys, tmp_path)
    assert re.search(r"z80.*host", said)


def test_pass_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out", "--stop-after", "graph-frob"], 2, capsys, tmp_path)
    assert "--stop-after: no pass graph-frob runs here" in said


def test_missing_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    said = complaint(["verify", DIGITS], 4, capsys, tmp_path)
    assert re.search("C compiler|gcc|cc", said)


def test_tree_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["run", tmp_path], 2, capsys, tmp_path)
    assert f"{tmp_path}: " in said


def file_of(array: object) -> bytes:
    """What numpy writes for an array."""
    kept = io.BytesIO()
    np.save(kept, np.asarray(array), allow_pickle=True)
    return kept.getvalue()


NUMBERS = file_of(np.zeros((1, 1, 8, 8), np.float32))
NO_ARRAYS = {
    "missing": (None, "No such file or directory"),
    "something else": (b"hello, no numbers here", "it is no file of numpy's"),
    "empty": (b"", "it is no file of numpy's"),
    "objects": (file_of([None]), "it holds Python objects, no numbers"),
    "cut off": (NUMBERS[:-8], "it is damaged"),
    "larger than any memory": (
        NUMBERS.replace(b"(1, 1, 8, 8), }        ", b"(1, 1, 8, 88888888888)}"),
        "fit into memory",
    ),
}


@pytest.mark.parametrize(("content", "fact"), NO_ARRAYS.values(), ids=NO_ARRAYS)
@pytest.mark.parametrize("command", ["run", "profile"])
def test_input_that_is_no_array(
    command: str, content: bytes | None, fact: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "x.npy"
    if content is not None:
        file.write_bytes(content)
    said = complaint([command, DIGITS, "-i", f"image={file}"], 2, capsys, tmp_path)
    assert f"--input image={file}: cannot be read (" in said
    assert fact in said
    assert "; write it with numpy.save" in said
    assert "pickle" not in said


def test_input_that_is_given_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "x.npy"
    file.write_bytes(NUMBERS)
    said = complaint(["run", tmp_path, "-i", f"image={file}", "-i", f"image={file}"], 2, capsys, tmp_path)
    assert "image is given twice; give one file for each input" in said


def test_array_without_a_name_is_of_the_only_input():
    array = np.zeros(2, np.float32)
    assert list(named({UNNAMED: array}, ["x"])) == ["x"]
    with pytest.raises(InputError, match=r"--input: names no input; write NAME=FILE\.npy for each of x, y"):
        named({UNNAMED: array}, ["x", "y"])


@pytest.mark.parametrize("record", [b"{", b"{}", b"[]", b"\xff\xfe", b'{"generator": {"name": "tar"}}'])
@pytest.mark.parametrize("command", ["run", "report"])
def test_folder_with_a_record_of_something_else(
    command: str, record: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "metadata.json").write_bytes(record)
    said = complaint([command, tmp_path], 2, capsys, tmp_path)
    assert f"{tmp_path}: is no tree that s2s wrote; give the directory that `s2s compile` made" in said


@pytest.mark.parametrize(
    ("target", "way_out"),
    [("cortex-m4", "s2s verify --on qemu:m4 counts"), ("aarch64-dotprod", "measure it on such a machine")],
)
def test_profile_of_code_for_another_machine(
    target: str, way_out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    said = complaint(["profile", DIGITS, "--target", target], 4, capsys, tmp_path)
    assert f"--target {target}: its code does not run on this machine" in said
    assert way_out in said


@pytest.mark.parametrize("value", ["-1", "nan"])
def test_tolerance_that_is_none(value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["verify", DIGITS, "--rtol", value], 2, capsys, tmp_path)
    assert re.search(r"--rtol .* is no tolerance; give 0 or more", said)


@pytest.mark.parametrize("file", ["/dev/full", "none/such/\0", "."])
def test_a_file_of_decisions_that_cannot_be_written_leaves_no_tree(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = str(tmp_path) if file == "." else file.replace("\0", "x" * 300)
    args = ["compile", DIGITS, "-o", tmp_path / "out", "--write-decisions", file]
    assert "cannot be written" in complaint(args, 2, capsys, tmp_path)


def test_decisions_of_a_stopped_compilation_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    args = ["compile", DIGITS, "--write-decisions", tmp_path / "d.json", "--stop-after", "graph-fuse-ops"]
    assert "leave one out" in complaint(args, 2, capsys, tmp_path)


def test_a_budget_that_cannot_be_kept_names_the_smallest_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = complaint(["compile", DIGITS, "-o", tmp_path / "out", "--ram-budget", "10"], 2, capsys, tmp_path)
    assert re.search(r"takes at least (\d+) bytes of RAM, .* included.*; give --ram-budget \1, or min", said)
