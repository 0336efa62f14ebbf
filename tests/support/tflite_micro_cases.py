"""Random cases of the custom operators of TFLite-Micro, and what its kernels give for them run after run."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array

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
    counted_by: int | None = None
    """The result that says how many rows of the others it writes."""

    @property
    def model(self) -> bytes:
        """The model of the operator alone."""
        names = [spec.name for spec in self.operands]
        outputs = [spec.name for spec in self.results]
        operator = OperatorSpec("CUSTOM", names, outputs, custom=self.custom, custom_options=flexible(self.options))
        free = [spec.name for spec in self.operands if spec.data is None]
        return model([GraphSpec([*self.operands, *self.results], [operator], free, outputs)])


def flexible(options: Mapping[str, bool | int | float | Sequence[int]]) -> bytes:
    """Options as converters write them."""
    flexbuffers: Any = importlib.import_module("flatbuffers.flexbuffers")
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in options.items():
            if isinstance(value, Sequence):
                builder.TypedVectorFromElements(name, value)
                continue
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


def encoded(random: Random) -> Case:
    """A constant of two channels that is encoded by a table or without its zero points, or by Huffman's code."""
    kind, code = str(random.choice(["INT8", "INT16", "FLOAT32"])), int(random.integers(0, 3))
    kind = "INT8" if code == 1 else kind
    shape, axis = (2, 9, 2), int(random.choice([0, 2]))
    dtype: Any = {"INT8": np.int8, "INT16": np.int16, "FLOAT32": np.float32}[kind]
    points = random.integers(-5, 6, 2) if kind == "INT8" else [0, 0]
    scale = None if kind == "FLOAT32" else [0.5, 0.25]
    y = T("y", shape, kind, scale=scale, zero_point=points if scale else 0, axis=axis)
    count = 36
    header = bytearray([code, 1, 0, 0, 1, *bytes(11)])
    if code == 0:
        width = int(random.integers(1, 8))
        stride = int(random.integers(1, (1 << width) + 1))
        header[5:7] = bytes([width, stride])
        bits: Array = (random.integers(0, stride, count)[:, None] >> np.arange(width)[::-1]) & 1
        table = random.integers(-100, 100, 2 * stride).astype(dtype).tobytes()
    elif code == 1:
        words = {1: "0", 2: "10", 3: "110", -4: "1110", 5: "1111"}
        header[5] = 2 << 4
        bits = np.array(list("".join(words[n] for n in random.choice(list(words), count))), np.uint8)
        entries = [(1, 1)] * 4 + [(2, 2)] * 2 + [(3, 3), (None, 1), (1, -4), (1, 5)]
        table = np.array(
            [value if own is None else 1 << 15 | own << 11 | value & 255 for own, value in entries], np.uint16
        ).tobytes()
    else:
        bits = random.integers(0, 2, count)
        table = random.integers(-100, 100, int(bits.sum())).astype(dtype).tobytes()
    packed = np.packbits(bits.reshape(-1).astype(np.uint8)).tobytes()
    packed += bytes(-len(packed) % 4 + 4)
    parts: list[bytes] = [packed, bytes(header) + table]
    data = [np.frombuffer(part, np.uint8) for part in parts]
    operands = [T(f"part{number}", part.shape, data=part) for number, part in enumerate(data)]
    return Case("TFLM_DECODE", {}, operands, [y], [[]])


def detections(random: Random) -> Case:
    """Boxes around anchors, with scores of classes and maybe of a background."""
    count, classes, most = int(random.integers(1, 30)), int(random.integers(1, 4)), int(random.integers(1, 12))
    background = int(random.integers(0, 2))
    anchors = np.stack([*random.uniform(0, 1, (2, count)), *random.uniform(0.05, 0.5, (2, count))], 1)
    options = {
        "detections_per_class": int(random.integers(1, 9)),
        "h_scale": 5.0,
        "max_classes_per_detection": 1,
        "max_detections": most,
        "nms_iou_threshold": float(random.uniform(0.2, 0.7)),
        "nms_score_threshold": float(random.uniform(0.0, 0.5)),
        "num_classes": classes,
        "use_regular_nms": bool(random.random() < 0.5),
        "w_scale": 5.0,
        "x_scale": 10.0,
        "y_scale": 10.0,
    }
    operands = [
        T("boxes", (1, count, 4)),
        T("scores", (1, count, classes + background)),
        T("anchors", (count, 4), data=anchors.astype(np.float32)),
    ]
    results = [T("where", (1, most, 4)), T("class", (1, most)), T("score", (1, most)), T("count", (1,))]
    runs = [
        [
            random.normal(size=(1, count, 4)).astype(np.float32),
            random.uniform(size=(1, count, classes + background)).astype(np.float32).round(2),
        ]
        for _ in range(RUNS)
    ]
    return Case("TFLite_Detection_PostProcess", options, operands, results, runs, counted_by=3)


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
    "TFLM_DECODE": encoded,
    "TFLite_Detection_PostProcess": detections,
}
