"""Models that once broke the compiler: each is imported, or refused with one clear message."""

import re
from pathlib import Path

import numpy as np
import pytest
from frontends.onnx.test_hostile import is_refused

from benchmarks.mutants import sanitized
from s2s.api import compile
from s2s.errors import InputError
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph
from support.c_compilers import require, require_sanitizers
from support.onnx_text import onnx_model
from support.project import SHARED

FOUND = SHARED / "models" / "found"
FILES = sorted(file for file in FOUND.glob("*.onnx") if not file.stem.startswith("sizes_"))
"""Those of sizes want bounds (`tests/end_to_end/test_found_sizes.py`)."""
REFUSED = {"external_location_long", "f1681", "f2423", "loop_2e63", "no_outputs"}
"""The models that are wrong, or more than s2s can do; the others are imported."""


@pytest.mark.skipif(not FOUND.is_dir(), reason="the models that broke something are not there")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_wrong_is_refused_and_the_rest_imported(file: Path):
    assert is_refused(file.read_bytes()) == (file.stem in REFUSED)


def runs_and_is_defined(file: Path) -> bool:
    """Mutants (`f123`) have weights such as NaN and 1e38, of which engines make what they like. One loop never ends,
    and some files take ten seconds and more."""
    slow = {"concat_1000", "concat_500", "cumsum_100000", "loop_1e6", "split_512", "split_1024", "while_never_ends"}
    return file.stem not in REFUSED | slow and not re.fullmatch(r"f\d+", file.stem)


@pytest.mark.sample(6)
@pytest.mark.skipif(not FOUND.is_dir(), reason="the models that broke something are not there")
@pytest.mark.parametrize("file", [*filter(runs_and_is_defined, FILES)], ids=lambda file: file.stem)
def test_what_is_imported_gives_the_results_of_another_engine(file: Path):
    with compile(file, target="c") as artifact:
        try:
            verification = artifact.verify()
        except InputError:  # onnxruntime has no kernel of this type
            verification = artifact.verify(against="reference")
        assert verification.passed


def is_accepted_mutant(file: Path) -> bool:
    return file.stem not in REFUSED and re.fullmatch(r"f\d+", file.stem) is not None


@pytest.mark.sample(2)
@pytest.mark.skipif(not FOUND.is_dir(), reason="the models that broke something are not there")
@pytest.mark.parametrize("file", [*filter(is_accepted_mutant, FILES)], ids=lambda file: file.stem)
def test_mutants_that_are_accepted_pass_their_self_tests_under_sanitizers(file: Path, tmp_path: Path):
    require_sanitizers(require("gcc"), tmp_path)
    with compile(file, target="c") as artifact:
        artifact.write(tmp_path / "tree")
    assert sanitized(tmp_path / "tree") == ""


@pytest.mark.skipif(not FOUND.is_dir(), reason="the models that broke something are not there")
def test_a_state_that_begins_in_place_is_not_poisoned():
    with compile(FOUND / "f2940.onnx", target="c", io="arena", poison=True) as artifact:
        assert artifact.verify(against="reference").passed


def test_a_number_added_to_a_vector_fits_the_smallest_memory():
    """Both have fewer dimensions than rows of images need."""
    body = "(float[4] x) => (float[4] y) <float two = {2.0}> { a = Exp(x) y = Add(a, two) }"
    with compile(onnx_model(body), ram_budget="min") as artifact:
        assert artifact.report().arena <= 16


def test_elu_of_an_infinite_alpha_keeps_positive_numbers():
    """Zero times infinity is no number."""
    imported = import_model(onnx_model("(float[4] x) => (float[4] y) { y = Elu <alpha: float = inf> (x) }"))
    x = np.array([1, -1, 0, 5], np.float32)
    (found,) = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_array_equal(found, np.array([1, -np.inf, 0, 5], np.float32))
