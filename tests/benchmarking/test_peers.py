"""Goals, results and the page, on times that are made up."""

import json
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.goals import GOALS, MODELS, Goal, outcome
from benchmarks.page import page, write_page
from benchmarks.results import Sizes, measured_models, read_results


def peer(micros: float, error: float = 1e-6) -> dict[str, object]:
    return {"min_us": micros, "err": {"max_abs": error, "max_rel": error}}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    models = {
        "mlp": {"flops": 4_000, "peers": {"ort": peer(20.0), "openvino": peer(10.0), "s2s": peer(8.0)}},
        "op_relu_16": {"flops": 0, "peers": {"ort": peer(2.0), "openvino": peer(0.1, 0.5), "s2s": peer(1.0)}},
        "lstm": {"flops": 10, "peers": {"ort": peer(3.0), "s2s": peer(1.0, 0.01)}},
        "gru_kws": {"flops": 10, "peers": {"ort": {"error": "no"}, "s2s": {"error": "no"}}},
    }
    machine = {"model name": "a processor", "fma512_gflops": 100.4, "read_l1_24k_gbs": 90.0}
    path = tmp_path / "results.json"
    path.write_text(
        json.dumps({"machine": machine, "versions": {"s2s": "s2s 1", "ort": "onnxruntime 2"}, "models": models})
    )
    (tmp_path / "sizes.json").write_text(json.dumps({"mlp": {"code": 1234, "ram": 5, "flash": 6}}))
    return path


def test_ratios_are_to_onnxruntime_and_to_the_best(raw: Path):
    mlp = read_results(raw, raw.with_name("sizes.json")).models[0]
    assert mlp.ratio("onnxruntime") == pytest.approx(0.4)
    assert mlp.ratio("the best engine") == pytest.approx(0.8)
    assert mlp.gigaops == pytest.approx(0.5)


def test_an_engine_with_wrong_numbers_does_not_count(raw: Path):
    relu, lstm = read_results(raw, raw.with_name("sizes.json")).models[1:3]
    assert relu.wrong == ("openvino",)
    assert relu.ratio("the best engine") == pytest.approx(0.5)
    assert lstm.ratio("onnxruntime") is None


def test_models_without_times_are_measured_again(raw: Path):
    assert measured_models(raw) == {"mlp", "op_relu_16", "lstm"}
    assert measured_models(raw.with_name("none.json")) == set()


@pytest.mark.parametrize(("at_most", "met"), [(0.5, True), (0.49, False)])
def test_the_worst_model_decides(at_most: float, met: bool):
    found = outcome(Goal("both", ("a", "b"), "onnxruntime", at_most), {"a": 0.2, "b": 0.5})
    assert (found.met, found.note) == (met, "b")


def test_means_are_geometric():
    found = outcome(Goal("both", ("a", "b"), "onnxruntime", 1.0, "geometric mean"), {"a": 0.25, "b": 1.0})
    assert found.measured == pytest.approx(0.5)


def test_a_goal_is_open_until_all_of_its_models_are_measured():
    assert outcome(Goal("both", ("a", "b"), "onnxruntime", 1.0), {"a": 0.5}).met is None


def test_every_goal_is_about_models_that_are_measured():
    assert {name for goal in GOALS for name in goal.models} == set(MODELS)


def test_the_page_says_everything(raw: Path):
    text = page(read_results(raw, raw.with_name("sizes.json")), plot=False)
    assert "| mlp | 20.0 | 10.0 | 8.0 | 0.40 | 0.80 | 0.5 |" in text
    assert "| op_relu_16 | 2.0 | wrong | 1.0 | 0.50 | 0.50 | – |" in text
    assert "| mlp | 1,234 | 5 | 6 |" in text
    assert "| SqueezeNet | onnxruntime | each ≤ 0.80 | – (not measured) | – |" in text
    assert "- peak: 100 GFLOP/s in vectors of 512 bits" in text
    assert "benchmarks.svg" not in text


def test_sizes_are_read(raw: Path):
    assert read_results(raw, raw.with_name("sizes.json")).sizes == {"mlp": Sizes(1234, 5, 6)}


def test_the_plot_is_the_same_each_time(raw: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")
    results = read_results(raw, raw.with_name("sizes.json"))
    for folder in ("one", "two"):
        write_page(results, tmp_path / folder, plot=True)
    plots = [(tmp_path / folder / "benchmarks.svg").read_bytes() for folder in ("one", "two")]
    assert plots[0] == plots[1]
    assert b"op_relu_16" in plots[0]
    assert "benchmarks.svg" in (tmp_path / "one" / "benchmarks.md").read_text()


def test_without_the_shared_benchmarks_it_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(peers, "RUNNER", Path("/nowhere/peers.py"))
    assert peers.main([]) == 2
    assert "skipped" in capsys.readouterr().err


def test_a_stopped_run_goes_on(raw: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    runner = tmp_path / "runner.py"
    runner.write_text("raise SystemExit('asked for nothing new')")
    monkeypatch.setattr(peers, "RUNNER", runner)
    model = tmp_path / "mlp.onnx"
    model.write_bytes(b"")
    assert peers.main([str(model), "--resume", "--kept", str(raw.parent)]) in (0, 1)
    assert (raw.parent / "benchmarks.md").is_file()
