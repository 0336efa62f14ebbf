"""Records are measured anew: with other costs, after changes of the lowering, and where they fail now."""

from dataclasses import replace

import pytest

from s2s.compilation import Compilation
from s2s.options import CompileOptions
from s2s.tuning.measurement import ErrorKind, Goal
from s2s.tuning.records import MeasuredRecord
from s2s.tuning.remeasure import Remeasured, remeasured
from s2s.tuning.task import FoundKernel, kernels_of
from support.onnx_text import onnx_file
from support.tuning import MadeUp

PRODUCT = """(float[1, 8] x) => (float[1, 4] y) <float[8, 4] w = {WEIGHTS}> { y = MatMul (x, w) }"""
OLD = 0


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> FoundKernel:
    model = onnx_file(PRODUCT.replace("WEIGHTS", ", ".join(["0.5"] * 32)), tmp_path_factory.mktemp("remeasure"))
    (found,) = kernels_of(Compilation(model, CompileOptions(target="cortex-m4")))
    return found


def record(kernel: FoundKernel, key: str) -> MeasuredRecord:
    decisions = (("schedule", key, kernel.task.default),)
    return MeasuredRecord(key, "cortex-m4", decisions, 1.0, "instructions")


def measured(kernel: FoundKernel, given: MeasuredRecord, *, fails: bool = False) -> Remeasured:
    return remeasured([given], [kernel], MadeUp(fails=fails), Goal.of("instructions"))


def test_the_cost_is_the_new_one(kernel: FoundKernel) -> None:
    (found,) = measured(kernel, record(kernel, kernel.key)).records
    assert found.cost is not None
    assert found.cost > 1.0


def test_a_record_of_another_lowering_is_of_the_kernel_that_had_its_key(kernel: FoundKernel) -> None:
    old = kernel.key_in(OLD)
    assert old != kernel.key
    (found,) = measured(kernel, replace(record(kernel, old), lowering=OLD)).records
    assert (found.task, found.decisions[0][1]) == (kernel.key, kernel.key)


def test_a_record_whose_key_has_changed_is_of_the_kernel_of_the_same_names(kernel: FoundKernel) -> None:
    old = replace(record(kernel, "0123456789abcdef"), kernel=kernel.name, nodes=kernel.nodes, lowering=OLD)
    (found,) = measured(kernel, old).records
    assert (found.task, found.decisions[0][1]) == (kernel.key, kernel.key)


def test_what_fails_now_is_left_out(kernel: FoundKernel) -> None:
    found = measured(kernel, record(kernel, kernel.key), fails=True)
    assert found.records == []
    assert [each.error for each in found.failed] == [ErrorKind.COMPILE_DEVICE]


def test_what_no_model_has_is_told(kernel: FoundKernel) -> None:
    assert len(measured(kernel, record(kernel, "0123456789abcdef")).missing) == 1
