"""`s2s compile --evidence` writes a pack that says what was measured, what was not and why, and never half of one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from s2s.artifact import Artifact, compile_artifact
from s2s.cli.main import run
from s2s.errors import InputError
from s2s.evidence.compilers import compilers_document
from s2s.evidence.coverage import UNJUSTIFIED
from s2s.evidence.pack import Scope, write_evidence
from s2s.evidence.trial import trial_of
from s2s.evidence.vectors import with_vectors
from s2s.options import CompileOptions
from support.browser import WIDTHS, shown
from support.c_compilers import require
from support.onnx_text import onnx_model
from support.project import ROOT, SHARED

KEYWORDS = SHARED / "models/mlperf_tiny/kws_ref_model_int8.tflite"
CHEAP = Scope(vectors=6, levels=("-O3",))
CHEAPEST = Scope(vectors=2, levels=("-O0",), proof=False, board=False)
SMALL = """(float[1, 4] x) => (float[1, 2] y) <float[4, 2] w = {1, -1, 2, -1, 3, -1, 4, -1}> {
    a = MatMul (x, w) y = Relu (a)
}"""
WAKE = "(float[4] x, float[4] h_in) => (float[4] y, float[4] h_out) { h_out = Add (x, h_in) y = Relu (h_out) }"


@pytest.fixture(scope="module")
def keywords(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the pack of keyword spotting."""
    for program in ("gcc", "gcov", "clang", "cppcheck"):
        require(program)
    if not KEYWORDS.exists():
        pytest.skip(f"{KEYWORDS.name} is not there")
    artifact = compile_artifact(KEYWORDS, CompileOptions(target="c"), ("settle",))
    return write_evidence(artifact, KEYWORDS, tmp_path_factory.mktemp("evidence") / "pack", CHEAP)


def small(text: str = SMALL) -> Artifact:
    return compile_artifact(onnx_model(text), CompileOptions(target="c", name="net"), ("settle",))


def document(pack: Path, name: str) -> dict[str, Any]:
    return json.loads((pack / f"{name}.json").read_text())


def rows(pack: Path, name: str, table: int = 0) -> list[list[Any]]:
    return document(pack, name)["tables"][table]["rows"]


def test_each_kernel_call_is_traced_to_lines_and_vectors(keywords: Path):
    record = json.loads((keywords / "tree/metadata.json").read_text())
    found = rows(keywords, "traceability")
    assert [(row[0], row[1]) for row in found] == [(call["nodes"], call["kernel"]) for call in record["calls"]]
    for _, kernel, call, lines, vectors, proof in found:
        file, line = call.split(":")
        assert kernel in (keywords / "tree" / file).read_text().splitlines()[int(line) - 1]
        file, span = lines.split(":")
        first, last = map(int, span.split(" to "))
        text = (keywords / "tree" / file).read_text().splitlines()[first - 1 : last]
        assert f"void {kernel}(" in text[0]
        assert text[-1] == "}"
        assert (vectors, proof) == ("0 to 5", "proved")


def test_branches_that_no_vector_takes_are_justified_by_the_proof(keywords: Path):
    assert document(keywords, "proof-summary")["holds"]
    assert json.loads((keywords / "proof.json").read_text())["outputs"]["status"] == "proved"
    found = rows(keywords, "coverage")
    assert found
    assert [row for row in found if row[4] == UNJUSTIFIED] == []
    covered, total = map(int, re.findall(r"(\d+) of (\d+) branches", document(keywords, "coverage")["summary"])[0])
    assert 0.7 * total < covered < total


def test_conditions_are_measured_or_the_reason_is_there(keywords: Path):
    found = document(keywords, "conditions")["summary"]
    assert re.match(r"\d+ of \d+ conditions|not measured, because no clang from version 18 on", found)


def test_builds_and_sanitizers_agree(keywords: Path):
    assert len(rows(keywords, "compilers")) >= 2
    assert {row[2] for row in rows(keywords, "compilers")} == {"bit for bit"}
    assert "nothing found" in {row[3] for row in rows(keywords, "sanitizers")}
    assert document(keywords, "sanitizers")["holds"]


def test_the_default_profile_claims_no_misra(keywords: Path):
    assert document(keywords, "misra-compliance-summary")["summary"].startswith("no claim for profile default")
    assert not document(keywords, "misra-deviations")["holds"]


def test_the_index_names_each_document_and_says_what_it_is_not(keywords: Path):
    text = (keywords / "index.html").read_text()
    pages = sorted(path.name for path in keywords.glob("*.html") if path.name != "index.html")
    assert sorted(re.findall(r'href="([\w-]+\.html)"', text)) == pages
    assert len(pages) == 14
    assert "This pack is no certificate" in text
    assert "not measured, because the times of target c are not modelled" in text.replace("<wbr>", "")


@pytest.mark.parametrize(("scheme", "background"), [(1, "rgb(255, 255, 255)"), (0, "rgb(22, 25, 28)")])
def test_a_browser_shows_the_pages_whole(scheme: int, background: str, keywords: Path, tmp_path: Path):
    pages = [(keywords / name).read_text() for name in ("index.html", "coverage.html", "versions.html")]
    for width, measured in shown(pages, WIDTHS, scheme, tmp_path):
        assert (measured["width"], measured["page"]) == (width, 0)
        assert measured["background"] == background
        assert measured["asked"] == []


def test_a_pack_has_the_same_bytes_on_every_run(tmp_path: Path):
    packs = [write_evidence(small(WAKE), None, tmp_path / name, CHEAPEST) for name in ("one", "two")]
    files = [{path.relative_to(pack): path.read_bytes() for path in pack.rglob("*.*")} for pack in packs]
    assert files[0] == files[1]
    assert rows(packs[0], "compilers")[0][2] == "within the tolerance of the self-test"


def test_wrong_numbers_are_not_agreement(tmp_path: Path):
    tree, vectors = with_vectors(small(), 3)
    assert len(vectors) == 3
    tree.write(tmp_path / "tree")
    file = tmp_path / "tree/test/net_vectors.c"
    text = re.sub(r"(net_y_1\[\w+\] = \{\s*)[^,]*,", r"\g<1>77.0f,", file.read_text())
    assert text != file.read_text()
    file.write_text(text)
    trial = trial_of(tmp_path / "tree", small().info, ("-std=c99",))
    found = compilers_document(trial, tmp_path, 3, ("-O0",), exact=False)
    assert not found.holds
    assert found.summary.startswith("0 of ")


def test_an_accepted_wrong_call_is_seen(tmp_path: Path):
    small(WAKE).tree().write(tmp_path / "tree")
    file = tmp_path / "tree/src/net.c"
    file.write_text(file.read_text().replace("return S2S_ERR_NULL;", "return S2S_OK;"))
    trial = trial_of(tmp_path / "tree", small(WAKE).info, ("-std=c99",))
    found = compilers_document(trial, tmp_path, 1, ("-O0",), exact=False)
    assert "wrong calls accepted" in str(found.tables[0].rows[0])


def test_a_missing_tool_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kept = {"gcc", "cc", "as", "ld", "make", "objdump", "nm", "cpp"}
    (tmp_path / "bin").mkdir()
    for name in kept:
        (tmp_path / "bin" / name).symlink_to(require(name))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    pack = write_evidence(small(), None, tmp_path / "pack", CHEAPEST)
    assert document(pack, "coverage")["summary"] == "not measured, because gcov is not installed; install gcc"
    assert "cppcheck is not installed" in document(pack, "misra-compliance-summary")["summary"]
    assert "clang, tcc" in document(pack, "compilers")["about"][1]


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("s2s.evidence.pack.bill_document", fail)
    with pytest.raises(OSError, match="disk full"):
        write_evidence(small(), None, tmp_path / "pack", CHEAPEST)
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.onnx").write_bytes(onnx_model(SMALL).SerializeToString())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    command = ["compile", str(tmp_path / "net.onnx"), "--target", "c", "-o", str(tmp_path / "tree")]
    assert run([*command, "--evidence", str(tmp_path / "mine")]) != 0
    assert "holds files and no tree of s2s" in capsys.readouterr().err
    assert (tmp_path / "mine/notes.txt").read_text() == "mine"
    assert not (tmp_path / "tree").exists()


def test_several_networks_have_no_pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.onnx").write_bytes(onnx_model(SMALL).SerializeToString())
    command = ["compile", str(tmp_path / "net.onnx"), "--together", "--evidence", str(tmp_path / "pack")]
    assert run(command) != 0
    assert "--evidence" in capsys.readouterr().err


def test_code_for_several_devices_is_refused(tmp_path: Path):
    from support.device_networks import LAYERS, residual

    artifact = compile_artifact(residual(), CompileOptions(target="c", devices={"dsp": {"layers": LAYERS}}))
    with pytest.raises(InputError, match="code for several devices"):
        write_evidence(artifact, None, tmp_path / "pack", CHEAPEST)


def test_a_missing_compiler_leaves_neither_pack_nor_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    model = ROOT / "examples" / "digits" / "digits.onnx"
    assert run(["compile", str(model), "-o", str(tmp_path / "tree"), "--evidence", str(tmp_path / "pack")]) == 4
    assert list(tmp_path.iterdir()) == []
