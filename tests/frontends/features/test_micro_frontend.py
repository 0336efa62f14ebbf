"""The audio frontend of TFLite-Micro, bit for bit: its own signal operators compute the frames of 20 clips one by one.

The tables are made as the reference's C makes them, in loops over single precision.
"""

import importlib
import math
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.frontends.features import pre
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array
from support.steps import RATE, clips, runs, stepped
from support.tflite_micro_cases import flexible

F = np.float32
FRAMES = 49


def window(length: int) -> Array:
    step = float(F(math.pi * 2.0 / length))
    real = [float(F(0.5 - 0.5 * math.cos(step * (place + 0.5)))) for place in range(length)]
    return np.array([math.floor(value * 4096 + 0.5) for value in real], np.int16)


def mel(hertz: Any) -> Any:
    return F(1127.0 * math.log1p(float(F(hertz)) / 700.0))


def filters(step: pre.MicroFrontend) -> list[Array]:
    """Weights, the rests of weights, and for each band its first frequency, its first weight and its width."""
    count, bands = step.fft // 2 + 1, step.bins + 1
    low, high, hertz = mel(step.low), mel(step.high), F(0.5 * step.rate / (count - 1))
    spacing = F(F(high - low) / F(bands))
    centres = [F(low + F(spacing * F(band + 1))) for band in range(bands)]
    frequency, tables = int(1.5 + float(F(F(step.low) / hertz))), [list[int]() for _ in range(5)]
    for band, centre in enumerate(centres):
        below = low if band == 0 else centres[band - 1]
        tables[2].append(frequency)
        tables[3].append(len(tables[0]))
        while mel(F(F(frequency) * hertz)) <= centre:
            weight = F(F(centre - mel(F(F(frequency) * hertz))) / F(centre - below))
            tables[0].append(math.floor(float(F(weight * F(4096))) + 0.5))
            tables[1].append(math.floor((1.0 - float(weight)) * 4096 + 0.5))
            frequency += 1
        tables[4].append(frequency - tables[2][-1])
    return [np.array(table, np.int16) for table in tables]


def gain(x: int, input_bits: int, step: pre.MicroFrontend) -> int:
    real = F(F(F(x) / F(1 << input_bits)) + F(step.offset))
    value = F(F(1 << 21) * np.power(real, F(-step.strength)))
    return 32767 if value > 32767 else int(F(value + F(0.5)))


def gains(step: pre.MicroFrontend) -> Array:
    bits = 10 - step.correction
    table = [gain(0, bits, step), gain(1, bits, step)]
    for interval in range(2, 33):
        first = 1 << (interval - 1)
        last = first + (first - 1 if interval == 32 else first)
        y0, y1, y2 = (gain(x, bits, step) for x in (first, first + (first >> 1), last))
        a1 = 4 * (y1 - y0) - (y2 - y0)
        table += [y0, a1, y2 - y0 - a1, 0]
    return np.array(table[:125], np.int64).astype(np.int16)


def reference(step: pre.MicroFrontend) -> bytes:
    """A model of TFLite-Micro's operators that computes one frame."""
    count, shares = step.fft // 2 + 1, [int(float(F(share)) * 16384) for share in (step.even, step.odd)]
    tables = dict(zip(("w", "u", "s", "b", "n"), filters(step), strict=True))
    constants = {"window": window(step.length), **tables, "gains": gains(step)}
    end = int(tables["s"][-1] + tables["n"][-1])
    noise = {
        "alternate_one_minus_smoothing": 16384 - shares[1],
        "alternate_smoothing": shares[1],
        "clamping": False,
        "min_signal_remaining": int(float(F(step.least)) * 16384),
        "num_channels": step.bins,
        "one_minus_smoothing": 16384 - shares[0],
        "smoothing": shares[0],
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
    }
    transform = {"T": 7, "fft_length": step.fft}
    log = {"input_correction_bits": step.correction, "output_scale": 64}
    chain: list[tuple[str, dict[str, Any], list[str], dict[str, tuple[tuple[int, ...], str]]]] = [
        ("SignalWindow", {"shift": 12}, ["x", "window"], {"windowed": ((step.length,), "INT16")}),
        ("SignalFftAutoScale", {}, ["windowed"], {"scaled": ((step.length,), "INT16"), "bits": ((), "INT32")}),
        ("SignalRfft", transform, ["scaled"], {"spectrum": ((step.fft + 2,), "INT16")}),
        ("SignalEnergy", {"start_index": 1, "end_index": end}, ["spectrum"], {"energy": ((count,), "UINT32")}),
        ("SignalFilterBank", {"num_channels": step.bins}, ["energy", *tables], {"sums": ((step.bins,), "UINT64")}),
        ("SignalFilterBankSquareRoot", {}, ["sums", "bits"], {"roots": ((step.bins,), "UINT32")}),
        (
            "SignalFilterBankSpectralSubtraction",
            noise,
            ["roots"],
            {"signal": ((step.bins,), "UINT32"), "noise": ((step.bins,), "UINT32")},
        ),
        (
            "SignalPCAN",
            {"snr_shift": 21 - step.correction - 12},
            ["signal", "noise", "gains"],
            {"amplified": ((step.bins,), "UINT32")},
        ),
        (
            "SignalFilterBankLog",
            log,
            ["amplified" if step.pcan == "yes" else "signal"],
            {"y": ((step.bins,), "INT16")},
        ),
    ]
    tensors = [TensorSpec("x", (step.length,), "INT16")]
    tensors += [TensorSpec(name, data.shape, data=data) for name, data in constants.items()]
    tensors += [TensorSpec(name, *form) for *_, results in chain for name, form in results.items()]
    operators = [
        OperatorSpec("CUSTOM", operands, list(results), custom=custom, custom_options=flexible(options))
        for custom, options, operands, results in chain
    ]
    return model([GraphSpec(tensors, operators, ["x"], ["y"])])


def by_micro(step: pre.MicroFrontend, samples: Array) -> Array:
    package: Any = pytest.importorskip("tflite_micro")
    interpreter = importlib.import_module(package.__name__).runtime.Interpreter.from_bytes(
        reference(step), arena_size=1 << 20
    )
    rows: list[Array] = []
    for frame in range(FRAMES):
        interpreter.set_input(samples[frame * step.hop : frame * step.hop + step.length], 0)
        interpreter.invoke()
        rows.append(interpreter.get_output(0).copy())
    return np.stack(rows)


STEPS = {
    "micro_speech": pre.MicroFrontend(),
    "without PCAN": pre.MicroFrontend(pcan="no", bins=32, window=0.025, step=0.01),
    "other shares": pre.MicroFrontend(even=0.1, odd=0.2, least=0.2, strength=0.5, offset=200.0, high=7000.0),
    "8 kHz": pre.MicroFrontend(rate=8000, bins=20, high=3800.0, window=0.04),
}


@pytest.mark.parametrize("name", STEPS)
def test_features_equal_the_reference(name: str) -> None:
    step = STEPS[name]
    (count,) = step.taken((FRAMES, step.bins))
    artifact = stepped({"x": (FRAMES, step.bins)}, [step])
    assert count <= RATE
    for clip, found in zip(clips(), runs(artifact, [{"x": clip[:count]} for clip in clips()]), strict=True):
        assert np.array_equal(found["x_out"], by_micro(step, clip[:count]))


def test_the_noise_is_kept_from_run_to_run() -> None:
    step = pre.MicroFrontend(noise="kept")
    half, clip = step.length + 23 * step.hop, clips()[3]
    second = clip[24 * step.hop :][:half]
    artifact = stepped({"x": (24, 40)}, [step])
    found = runs(artifact, [{"x": clip[:half]}, {"x": second}])
    whole = stepped({"x": (48, 40)}, [pre.MicroFrontend()])
    (right,) = runs(whole, [{"x": clip[: step.length + 47 * step.hop]}])
    assert np.array_equal(np.concatenate([each["x_out"] for each in found]), right["x_out"])


def test_a_band_beyond_the_spectrum_is_refused() -> None:
    with pytest.raises(InputError, match="its bands reach beyond 256 frequencies; give a lower high="):
        stepped({"x": (49, 40)}, ["micro-frontend:high=8000"])
