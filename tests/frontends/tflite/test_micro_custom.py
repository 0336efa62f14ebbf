"""The custom operators of TFLite-Micro against its kernels, over several runs: at the graph level, and in C."""

import contextlib
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.micro.table import MICRO_IMPORTERS
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph import initial_state, run_graph
from s2s.types.dtypes import Array
from support.compiled import compiled, run_c
from support.tflite_micro_cases import CASES, Case, by_micro, flexible

T = TensorSpec


def test_each_operator_has_a_case():
    assert set(CASES) == set(MICRO_IMPORTERS)


def assert_same(case: Case, found: Sequence[Sequence[Array]], wanted: Sequence[Sequence[Array]]) -> None:
    for run, (values, right) in enumerate(zip(found, wanted, strict=True)):
        if case.filled_by is not None:
            assert bool(values[case.filled_by]) == bool(right[case.filled_by]), f"run {run}"
            if not right[case.filled_by]:
                continue
        for value, expected in zip(values, right, strict=True):
            part, whole = value.reshape(expected.shape), expected
            if case.counted_by is not None and expected.ndim > 1:
                part, whole = part[:, : int(right[case.counted_by][0])], whole[:, : int(right[case.counted_by][0])]
            elif expected.ndim:
                part, whole = part[case.region], whole[case.region]
            if whole.dtype == np.float32:
                np.testing.assert_allclose(part, whole, rtol=0, atol=1e-6 * float(np.abs(whole).max(initial=1.0)))
            else:
                np.testing.assert_array_equal(part, whole, err_msg=f"run {run}, {case.options}")


@pytest.mark.parametrize("name", CASES)
def test_the_graph_equals_the_reference(name: str):
    for seed in range(20):
        case = CASES[name](np.random.default_rng(seed))
        imported = import_model(case.model)
        state = initial_state(imported.module, imported.weights)
        found = [run_graph(imported.module, inputs, imported.weights, state=state) for inputs in case.runs]
        assert_same(case, found, by_micro(case))


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", CASES)
def test_c_equals_the_reference(name: str):
    for seed in (30, 31):
        case = CASES[name](np.random.default_rng(seed))
        imported = import_model(case.model)
        with compiled(imported.module, imported.weights, target="c") as artifact:
            assert_same(case, [run_c(artifact, inputs) for inputs in case.runs], by_micro(case))


# --------------------------------------------------------------------- refusals


def one(custom: str, options: Mapping[str, bool | int | float], shape: Sequence[int], *results: TensorSpec) -> bytes:
    """An operator on int16 numbers."""
    return Case(custom, options, [T("x", shape, "INT16")], results, []).model


REFUSED: Mapping[str, tuple[bytes, str]] = {
    "a missing option": (one("SignalDelay", {}, [1, 4], T("y", (1, 4), "INT16")), "its option delay_length is None"),
    "no whole number": (
        one("SignalDelay", {"delay_length": 1.5}, [1, 4], T("y", (1, 4), "INT16")),
        "its option delay_length is 1.5; give an integer",
    ),
    "another factor": (
        one("SignalRfft", {"fft_length": 14}, [14], T("y", (16,), "INT16")),
        "transforms 14 numbers; give twice a product of 2, 3 and 5",
    ),
    "a longer row": (
        one("SignalRfft", {"fft_length": 16}, [17], T("y", (18,), "INT16")),
        "transforms 16 of 17 numbers; give rows of at most as many",
    ),
    "a shift beyond the width": (
        Case(
            "SignalWindow",
            {"shift": 32},
            [T("x", (4,), "INT16"), T("w", (4,), data=np.ones(4, np.int16))],
            [T("y", (4,), "INT16")],
            [],
        ).model,
        "its option shift is 32; give 0 to 31",
    ),
    "steps that leave a rest": (
        one(
            "SignalFramer",
            {"frame_size": 8, "frame_step": 3, "prefill": True},
            [1, 4],
            T("y", (1, 1, 8), "INT16"),
            T("filled", (), "BOOL"),
        ),
        "makes frames of 8 by 3 of 4 numbers; give whole steps",
    ),
    "runs that are left out": (
        Case(
            "CIRCULAR_BUFFER",
            {"cycles_max": 2},
            [T("x", (1, 1, 1, 2), "INT8", scale=1.0)],
            [T("y", (1, 3, 1, 2), "INT8", scale=1.0, is_variable=True)],
            [],
        ).model,
        "stops the network in all but one of 2 runs; give cycles_max 1",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_means_nothing_is_refused(name: str):
    data, message = REFUSED[name]
    with pytest.raises((InputError, UnsupportedError), match=message.replace("(", r"\(")):
        import_model(data)


def test_damaged_options_are_refused():
    case = CASES["SignalDelay"](np.random.default_rng(0))
    options, random = flexible(case.options), np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(options)
        for place in random.integers(0, len(damaged), 2):
            damaged[place] = random.integers(256)
        operator = OperatorSpec("CUSTOM", ["x"], ["y"], custom=case.custom, custom_options=bytes(damaged))
        data = model([GraphSpec([*case.operands, *case.results], [operator], ["x"], ["y"])])
        with contextlib.suppress(InputError, UnsupportedError):
            import_model(data)
