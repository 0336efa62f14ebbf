"""Ensembles of decision trees as branches and as tables: both forms give the numbers of onnxruntime in C."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.decision_trees import ensemble
from s2s.api import compile as compile_network
from s2s.decisions.decision import Decision
from s2s.decisions.trees import BRANCHES, TABLES
from s2s.errors import InputError
from support.decided_networks import TREES
from support.onnx_nodes import run_onnxruntime


def decision_about(model: Any, **options: Any) -> Decision:
    (found,) = [each for each in compile_network(model, **options).decisions if each.kind == "trees"]
    return found


def given(model: Any, form: str, **options: Any) -> dict[str, Any]:
    subject = decision_about(model, **options).subject
    return {"format": 1, "decisions": [{"kind": "trees", "subject": subject, "chosen": form}]}


@pytest.mark.parametrize("form", [BRANCHES, TABLES])
def test_either_form_gives_the_numbers_of_onnxruntime(form: str):
    model = ensemble(trees=12, levels=4, samples=33)
    x = np.random.default_rng(0).standard_normal((33, 8)).astype(np.float32)
    with compile_network(model, target="host", decisions=given(model, form, target="host")) as artifact:
        [found] = artifact.run({"x": x}).values()
    [expected] = run_onnxruntime(model, [x])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_branches_read_as_a_person_would_write_them(tmp_path: Path):
    compile_network(TREES, target="c").write(tmp_path)
    [kernels] = tmp_path.glob("src/*_kernels.c")
    text = kernels.read_text()
    assert "if (x[i * 3 + 2] <= 0.5f) {" in text
    assert "tree = -2.0f;" in text


def test_costs_are_recorded():
    found = decision_about(TREES, target="cortex-m4")
    assert (found.chosen, found.by) == (BRANCHES, "model")
    assert [each.note for each in found.candidates] == [TABLES, BRANCHES]
    assert all(each.cost is not None and each.cost.flash for each in found.candidates)


def test_large_ensembles_are_tables_where_programs_run_from_flash():
    model = ensemble(trees=40, levels=5, samples=1)
    assert decision_about(model, target="cortex-m4").chosen == TABLES
    assert decision_about(model, target="x86-64-v3").chosen == BRANCHES


def test_too_many_branches_are_refused():
    model = ensemble(trees=40, levels=7, samples=1)
    with pytest.raises(InputError, match="it has 5,080 branches, over 4,096; legal are for example tables"):
        compile_network(model, target="host", decisions=given(model, BRANCHES, target="host"))
