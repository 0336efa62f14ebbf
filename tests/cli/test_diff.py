"""`s2s diff` says what changed between two trees, and exits with 1 if anything did."""

import json
from pathlib import Path

import pytest

from s2s.api import compile as compile_network
from s2s.cli.main import run
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("trees")
    tuned = compile_network(DIGITS, target="c").write(folder / "tuned")
    plain = compile_network(DIGITS, target="c", schedule="reference").write(folder / "plain")
    return tuned, plain


def test_equal_trees_do_not_differ(trees: tuple[Path, Path], capsys: pytest.CaptureFixture[str]):
    assert run(["diff", str(trees[0]), str(trees[0])]) == 0
    assert capsys.readouterr().out == "no difference\n"


def test_other_kernels_weights_and_decisions_are_named(trees: tuple[Path, Path], capsys: pytest.CaptureFixture[str]):
    assert run(["diff", *map(str, trees)]) == 1
    shown = capsys.readouterr().out
    assert "removed  digits_conv_3x3_relu\n" in shown
    assert "added    digits_relu\n" in shown
    assert "changed  src/digits_kernels.c\n" in shown
    assert "now     #tensor.schedule<[]>" in shown
    assert "\narena" not in shown


def test_equal_figures_are_shown_on_request(trees: tuple[Path, Path], capsys: pytest.CaptureFixture[str]):
    assert run(["diff", *map(str, trees), "--all"]) == 1
    assert "\narena" in capsys.readouterr().out


def test_json_has_numbers(trees: tuple[Path, Path], capsys: pytest.CaptureFixture[str]):
    assert run(["diff", *map(str, trees), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    sizes = {each["what"]: (each["before"], each["now"]) for each in found["sizes"]}
    assert sizes["kernels"] == (6, 9)
    assert sizes["weights"][0] > sizes["weights"][1] == 24_360


def test_a_folder_that_is_no_tree_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["diff", str(tmp_path), str(tmp_path)]) == 2
    assert "is no tree that s2s wrote" in capsys.readouterr().err


def test_a_record_that_names_files_outside_is_refused(
    trees: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    record = json.loads((trees[0] / "metadata.json").read_text())
    record["files"].append("../../etc/passwd")
    (tmp_path / "metadata.json").write_text(json.dumps(record))
    assert run(["diff", str(tmp_path), str(trees[0])]) == 2
    assert "names a file outside of it: ../../etc/passwd" in capsys.readouterr().err
