"""The custom operators of TFLite-Micro against its kernels, over several runs: at the graph level, and in C."""

import contextlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.micro.table import MICRO_IMPORTERS
from s2s.interpret.graph import initial_state, run_graph
from s2s.types.dtypes import Array
from support.compiled import compiled, run_c
from support.tflite_models import GraphSpec, OperatorSpec, TensorSpec, model

T = TensorSpec
Random = np.random.Generator
RUNS = 4
KINDS = {"INT16": 7, "INT32": 2, "FLOAT32": 0}
"""Element types by their numbers in the schema, as transforms have them in their options."""


class Case(NamedTuple):
    """An operator with its options, what it is fed run after run, and which results count at all."""

    custom: str
    options: Mapping[str, bool | int | float]
    operands: Sequence[TensorSpec]
    results: Sequence[TensorSpec]
    runs: Sequence[Sequence[Array]]
    filled_by: int | None = None
    """The result that says whether the others mean anything."""
    region: slice = slice(None)
    """The part of the results that the reference writes."""

    @property
    def model(self) -> bytes:
        """The model of the operator alone."""
        names = [spec.name for spec in self.operands]
        outputs = [spec.name for spec in self.results]
        operator = OperatorSpec("CUSTOM", names, outputs, custom=self.custom, custom_options=flexible(self.options))
        free = [spec.name for spec in self.operands if spec.data is None]
        return model([GraphSpec([*self.operands, *self.results], [operator], free, outputs)])


def flexible(options: Mapping[str, bool | int | float]) -> bytes:
    """Options as converters write them."""
    flexbuffers: Any = importlib.import_module("flatbuffers.flexbuffers")
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in options.items():
            {bool: builder.Bool, int: builder.Int, float: builder.Float}[type(value)](name, value)
    return bytes(builder.Finish())


def by_micro(case: Case) -> list[list[Array]]:
    """What TFLite-Micro gives run after run."""
    package: Any = importlib.import_module("tflite_micro")
    interpreter = package.runtime.Interpreter.from_bytes(case.model, arena_size=1 << 20)
    found: list[list[Array]] = []
    for inputs in case.runs:
        for place, value in enumerate(inputs):
            interpreter.set_input(value, place)
        interpreter.invoke()
        found.append([interpreter.get_output(place).copy() for place in range(len(case.results))])
    return found


def ints(random: Random, kind: type[np.generic], *shape: int, bits: int | None = None) -> Array:
    """Numbers of all magnitudes, the ends of the range among them."""
    info = np.iinfo(np.dtype(kind).str)
    most = info.max if bits is None else 2**bits
    size = np.exp2(random.uniform(0, np.log2(float(most)), shape))
    values = (size * random.choice([-1, 1], shape) if info.min else size).clip(info.min, most).astype(kind)
    values.reshape(-1)[random.integers(0, values.size, 2)] = [0, most]
    return values


# ------------------------------------------------------------------------- cases


def delay(random: Random) -> Case:
    rows, size = int(random.integers(1, 3)), int(random.integers(1, 7))
    runs = [[ints(random, np.int16, rows, size)] for _ in range(RUNS)]
    options = {"delay_length": int(random.integers(0, 10))}
    return Case("SignalDelay", options, [T("x", (rows, size), "INT16")], [T("y", (rows, size), "INT16")], runs)


def framer(random: Random) -> Case:
    rows, step, count = (int(random.integers(1, n)) for n in (3, 5, 4))
    size = step + int(random.integers(0, 9))
    runs = [[ints(random, np.int16, rows, step * count)] for _ in range(2 * RUNS)]
    options = {"frame_size": size, "frame_step": step, "prefill": bool(random.random() < 0.5)}
    results = [T("y", (rows, count, size), "INT16"), T("filled", (), "BOOL")]
    return Case("SignalFramer", options, [T("x", (rows, step * count), "INT16")], results, runs, 1)


def stacker(random: Random) -> Case:
    left, right, channels = int(random.integers(0, 4)), int(random.integers(0, 3)), int(random.integers(1, 5))
    size = left + right + 1
    options = {
        "num_channels": channels,
        "stacker_left_context": left,
        "stacker_right_context": right,
        "stacker_step": int(random.integers(1, size + 1)),
    }
    runs = [[ints(random, np.int16, channels)] for _ in range(3 * RUNS)]
    results = [T("y", (size * channels,), "INT16"), T("filled", (), "BOOL")]
    return Case("SignalStacker", options, [T("x", (channels,), "INT16")], results, runs, 1)


def overlap_add(random: Random) -> Case:
    rows, count, size = (int(random.integers(1, n)) for n in (3, 4, 9))
    step, kind = int(random.integers(1, size + 1)), str(random.choice(["INT16", "FLOAT32"]))
    shape = (rows, count, size)
    runs = [
        [ints(random, np.int16, *shape) if kind == "INT16" else random.normal(size=shape).astype(np.float32)]
        for _ in range(RUNS)
    ]
    options = {"T": KINDS[kind], "frame_step": step}
    return Case("SignalOverlapAdd", options, [T("x", shape, kind)], [T("y", (rows, count * step), kind)], runs)


def window(random: Random) -> Case:
    rows, size = int(random.integers(1, 4)), int(random.integers(1, 20))
    weights = T("w", (size,), data=ints(random, np.int16, size))
    runs = [[ints(random, np.int16, rows, size)] for _ in range(RUNS)]
    options = {"shift": int(random.integers(8, 16))}
    operands = [T("x", (rows, size), "INT16"), weights]
    return Case("SignalWindow", options, operands, [T("y", (rows, size), "INT16")], runs)


def fft_auto_scale(random: Random) -> Case:
    size = int(random.integers(1, 12))
    runs = [[ints(random, np.int16, size, bits=int(random.integers(1, 15)))] for _ in range(2 * RUNS)]
    for (x,) in runs[1:]:
        x[random.random(size) < 0.3] = -(2**15)
    runs[-1] = [np.zeros(size, np.int16)]
    results = [T("y", (size,), "INT16"), T("bits", (), "INT32")]
    return Case("SignalFftAutoScale", {}, [T("x", (size,), "INT16")], results, runs)


def transform(name: str) -> Callable[[Random], Case]:
    def make(random: Random) -> Case:
        rows, size = int(random.integers(1, 3)), int(random.choice([4, 6, 8, 10, 16, 18, 24, 50, 64, 150, 256, 480]))
        kind = str(random.choice(["INT16", "INT32", "FLOAT32"]))
        dtype: Any = {"INT16": np.int16, "INT32": np.int32, "FLOAT32": np.float32}[kind]
        count = size + 2 if name == "SignalIrfft" else int(random.integers(size // 2, size + 1))
        runs = [
            [random.normal(size=(rows, count)).astype(dtype) if kind == "FLOAT32" else ints(random, dtype, rows, count)]
            for _ in range(RUNS)
        ]
        y = T("y", (rows, size if name == "SignalIrfft" else size + 2), kind)
        return Case(name, {"T": KINDS[kind], "fft_length": size}, [T("x", (rows, count), kind)], [y], runs)

    return make


def energy(random: Random) -> Case:
    count = int(random.integers(2, 20))
    start = int(random.integers(0, count - 1))
    end = int(random.integers(start + 1, count + 1))
    runs = [[ints(random, np.int16, 2 * count)] for _ in range(RUNS)]
    options = {"start_index": start, "end_index": end}
    results = [T("y", (count,), "UINT32")]
    return Case("SignalEnergy", options, [T("x", (2 * count,), "INT16")], results, runs, region=slice(start, end))


def filter_bank(random: Random) -> Case:
    channels, count = int(random.integers(1, 6)), 30
    widths = random.integers(0, 6, channels + 1).astype(np.int16)
    begins = (np.cumsum(widths) - widths).astype(np.int16)
    starts = random.integers(0, count - 6, channels + 1).astype(np.int16)
    weights, rests = (ints(random, np.int16, max(2, int(widths.sum()))) for _ in range(2))
    tables = [("w", weights), ("u", rests), ("s", starts), ("b", begins), ("n", widths)]
    operands = [T("x", (count,), "UINT32"), *(T(name, data.shape, data=data) for name, data in tables)]
    runs = [[ints(random, np.uint32, count)] for _ in range(RUNS)]
    return Case("SignalFilterBank", {"num_channels": channels}, operands, [T("y", (channels,), "UINT64")], runs)


def filter_bank_square_root(random: Random) -> Case:
    count = 40
    near = random.integers(2**31, 2**32, count).astype(np.uint64) ** 2
    edges = np.array([0, 2**32 - 1, 2**32, 2**64 - 1, 2**64 - 2**32, 2**64 - 2**33, 65535**2 + 65536], np.uint64)
    runs = [
        [ints(random, np.uint64, count), np.array(int(random.integers(0, 16)), np.int32)],
        [near + random.integers(0, 3, count).astype(np.uint64), np.array(0, np.int32)],
        [near + near // np.uint64(2**31) - np.uint64(1), np.array(0, np.int32)],
        [np.resize(edges, count), np.array(0, np.int32)],
    ]
    operands = [T("x", (count,), "UINT64"), T("bits", (), "INT32")]
    return Case("SignalFilterBankSquareRoot", {}, operands, [T("y", (count,), "UINT32")], runs)


def spectral_subtraction(random: Random) -> Case:
    count, bits = int(random.integers(1, 9)), int(random.integers(8, 15))
    one, other, least = (int(n) for n in random.integers(0, 2**bits, 3))
    options = {
        "alternate_one_minus_smoothing": 2**bits - other,
        "alternate_smoothing": other,
        "clamping": bool(random.random() < 0.5),
        "min_signal_remaining": least,
        "num_channels": count,
        "one_minus_smoothing": 2**bits - one,
        "smoothing": one,
        "smoothing_bits": int(random.integers(0, 12)),
        "spectral_subtraction_bits": bits,
    }
    runs = [[ints(random, np.uint32, count)] for _ in range(RUNS)]
    results = [T("y", (count,), "UINT32"), T("noise", (count,), "UINT32")]
    return Case("SignalFilterBankSpectralSubtraction", options, [T("x", (count,), "UINT32")], results, runs)


def pcan(random: Random) -> Case:
    count = 40
    table = T("table", (125,), data=random.integers(-3000, 32767, 125).astype(np.int16))
    operands = [T("x", (count,), "UINT32"), T("noise", (count,), "UINT32"), table]
    runs = [[ints(random, np.uint32, count), ints(random, np.uint32, count)] for _ in range(RUNS)]
    runs[0][1][:5] = range(5)
    options = {"snr_shift": int(random.integers(0, 30))}
    return Case("SignalPCAN", options, operands, [T("y", (count,), "UINT32")], runs)


def filter_bank_log(random: Random) -> Case:
    count = 50
    options = {"input_correction_bits": int(random.integers(0, 6)), "output_scale": int(random.integers(1, 2000))}
    runs = [[ints(random, np.uint32, count)] for _ in range(RUNS)]
    runs[0][0][:10] = range(10)
    return Case("SignalFilterBankLog", options, [T("x", (count,), "UINT32")], [T("y", (count,), "INT16")], runs)


def circular_buffer(random: Random) -> Case:
    rows, depth, zero = int(random.integers(2, 6)), int(random.integers(1, 7)), int(random.integers(-9, 9))
    y = T("y", (1, rows, 1, depth), "INT8", scale=0.5, zero_point=zero, is_variable=True)
    operands = [T("x", (1, 1, 1, depth), "INT8", scale=0.5, zero_point=zero)]
    runs = [[ints(random, np.int8, 1, 1, 1, depth)] for _ in range(2 * RUNS)]
    return Case("CIRCULAR_BUFFER", {"cycles_max": 1}, operands, [y], runs)


CASES: Mapping[str, Callable[[Random], Case]] = {
    "CIRCULAR_BUFFER": circular_buffer,
    "SignalDelay": delay,
    "SignalEnergy": energy,
    "SignalFftAutoScale": fft_auto_scale,
    "SignalFilterBank": filter_bank,
    "SignalFilterBankLog": filter_bank_log,
    "SignalFilterBankSpectralSubtraction": spectral_subtraction,
    "SignalFilterBankSquareRoot": filter_bank_square_root,
    "SignalFramer": framer,
    "SignalIrfft": transform("SignalIrfft"),
    "SignalOverlapAdd": overlap_add,
    "SignalPCAN": pcan,
    "SignalRfft": transform("SignalRfft"),
    "SignalStacker": stacker,
    "SignalWindow": window,
}


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
            if expected.ndim:
                part, whole = part[case.region], whole[case.region]
            if whole.dtype == np.float32:
                np.testing.assert_allclose(part, whole, rtol=0, atol=1e-6 * max(1.0, float(np.abs(whole).max())))
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
