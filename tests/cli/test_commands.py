"""The commands on the example network: they do what the Python functions do."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.cli.main import run
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
HELD_OUT = ROOT / "examples" / "digits" / "held_out.npz"


def files(tree: Path) -> dict[str, bytes]:
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def test_compile_writes_the_tree_of_the_python_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    args = ["--target", "c", "--executor", "graph", "--name", "net", "--weights", "arrays", "--schedule", "reference"]
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "by_command"), *args]) == 0
    assert f"tree       {tmp_path / 'by_command'}" in capsys.readouterr().out
    artifact = api.compile(DIGITS, target="c", executor="graph", name="net", weights="arrays", schedule="reference")
    artifact.write(tmp_path / "by_function")
    assert files(tmp_path / "by_command") == files(tmp_path / "by_function")


def test_compile_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "out"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["tree"] == str(tmp_path / "out")
    assert report["arena"] >= report["arena_lower_bound"] > 0


def test_compile_names_the_folder_after_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert run(["compile", str(DIGITS)]) == 0
    assert os.listdir(tmp_path) == ["digits"]


def test_compile_stops_after_a_pass_and_writes_no_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "out"), "--stop-after", "graph-fuse-ops"]) == 0
    shown = capsys.readouterr()
    assert "graph.call @conv_3x3_relu" in shown.out
    assert shown.err == ""
    assert not (tmp_path / "out").exists()


def test_compile_shows_what_it_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    args = ["--print-ir-after", "tensor-pick-schedule", "--verify-each", "--time-passes"]
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "out"), *args]) == 0
    shown = capsys.readouterr().err
    assert shown.count("// IR after") == 1
    assert "#tensor.schedule<" in shown
    assert "c-name-temporaries" in shown
    assert "total" in shown


def test_run_gives_what_the_network_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    held_out = np.load(HELD_OUT)
    np.save(tmp_path / "image.npy", held_out["images"][:1])
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "digits")]) == 0
    image = ["--input", f"image={tmp_path / 'image.npy'}"]
    assert run(["run", str(tmp_path / "digits"), *image, "--output", str(tmp_path / "results")]) == 0
    probabilities = np.load(tmp_path / "results" / "probabilities.npy")
    assert probabilities.argmax() == held_out["labels"][0]
    capsys.readouterr()
    assert run(["run", str(tmp_path / "digits"), *image, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["probabilities"]
    assert (shown["dtype"], shown["shape"]) == ("float32", [1, 10])
    np.testing.assert_array_equal(np.float32(shown["values"]), probabilities)
    np.savez(tmp_path / "all.npz", image=held_out["images"][:1])
    for form in ("image.npy", "all.npz"):
        assert run(["run", str(tmp_path / "digits"), "-i", str(tmp_path / form), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["probabilities"] == shown


def test_run_names_the_largest_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    held_out = np.load(HELD_OUT)
    np.save(tmp_path / "image.npy", held_out["images"][:1])
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "digits")]) == 0
    capsys.readouterr()
    image, labels = str(tmp_path / "image.npy"), str(tmp_path / "words.txt")
    command = ["run", str(tmp_path / "digits"), "-i", image, "--labels", labels]
    assert run(command) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "probabilities:"
    assert lines[0].split()[1] == words[held_out["labels"][0]]
    assert len(lines) == 5
    (tmp_path / "words.txt").write_text("yes\nno\n")
    assert run(command) == 2
    said = capsys.readouterr().err.replace("\n", " ")
    assert "2 names, and no output has as many columns: probabilities [1, 10]" in said
    assert run([*command, "--json"]) == 2
    assert "--json for programs" in capsys.readouterr().err


def test_run_wants_every_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "digits")]) == 0
    assert run(["run", str(tmp_path / "digits")]) == 2
    assert "s2s: error: image: digits needs this input, float32[1, 1, 8, 8]" in capsys.readouterr().err


def test_verify_agrees_with_onnxruntime_and_level_with_level(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("onnxruntime")
    assert run(["verify", str(DIGITS), "--levels", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["passed"] is True
    assert report["against"].startswith("onnxruntime ")
    assert [level["level"] for level in report["levels"]] == ["model", "graph", "tensor", "loop", "c"]
    assert report["levels"][-1]["against"] == "loop"
    assert report["outputs"]["probabilities"]["elements"] == 10


def test_verify_says_what_the_tolerance_is_and_where_it_is_from(capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(DIGITS), "--against", "reference"]) == 0
    assert "may differ by  1e-05 + 0.0001 * |expected|: the usual for float32" in capsys.readouterr().out
    assert run(["verify", str(DIGITS), "--against", "reference", "--rtol", "0.5"]) == 0
    assert "may differ by  1e-05 + 0.5 * |expected|: as --rtol and --atol say" in capsys.readouterr().out


def golden(tmp_path: Path, *, wrong: float = 0.0) -> str:
    """A file of vectors for the digits; every output is off by `wrong`."""
    images = np.load(HELD_OUT)["images"][:3]
    with api.compile(DIGITS, target="c") as artifact:
        outputs = np.stack([artifact.run({"image": image[None]})["probabilities"] for image in images])
    np.savez(tmp_path / "golden.npz", x=images, y=outputs + np.float32(wrong))
    return str(tmp_path / "golden.npz")


def test_verify_takes_vectors_of_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(DIGITS), "--target", "c", "--golden", golden(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["vectors"] == 3
    assert report["bit_exact"] is True
    assert report["against"] == f"golden vectors of {tmp_path / 'golden.npz'}"
    assert run(["verify", str(DIGITS), "--target", "c", "--golden", golden(tmp_path, wrong=0.1)]) == 1


def test_verify_exits_with_1_when_the_numbers_differ(capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(DIGITS), "--against", "reference", "--rtol", "0", "--atol", "0"]) == 1
    assert "elements differ" in capsys.readouterr().out


def test_report_shows_the_largest_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["report", str(DIGITS), "--target", "c"]) == 0
    assert "digits_run" in capsys.readouterr().out.partition("largest functions")[2]
    assert run(["report", str(DIGITS), "--target", "c", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    sizes = list(found["code_of"].values())
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) <= found["code"]


def test_report_shows_the_stack_of_each_kernel_beside_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["report", str(DIGITS), "--target", "c", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    stacks = found["stack_of"]
    assert list(stacks.values()) == sorted(stacks.values(), reverse=True)
    assert 0 < max(stacks.values()) < found["stack"]
    assert run(["report", str(DIGITS), "--target", "c"]) == 0
    shown = capsys.readouterr().out.partition("bytes of stack of each kernel")[2]
    assert all(name in shown for name in stacks)
    compile_it = ["compile", str(DIGITS), "--target", "c", "--stack-budget", "100000", "-o", str(tmp_path / "tree")]
    assert run(compile_it) == 0
    assert json.loads((tmp_path / "tree" / "metadata.json").read_text())["measured"]["stacks"] == stacks


def test_compile_together_writes_the_tree_of_the_python_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    other = tmp_path / "other.onnx"
    other.write_bytes(DIGITS.read_bytes())
    args = ["compile", str(DIGITS), str(other), "--together", "--target", "c", "-o", str(tmp_path / "both"), "--json"]
    assert run(args) == 0
    assert json.loads(capsys.readouterr().out)["networks"] == ["digits", "other"]
    api.together([api.compile(path, target="c") for path in (DIGITS, other)], name="both").write(tmp_path / "python")
    assert files(tmp_path / "both") == files(tmp_path / "python")


def test_a_second_network_needs_together(capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), str(DIGITS)]) == 2
    assert "add --together" in capsys.readouterr().err
