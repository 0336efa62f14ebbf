"""Import filter banks of TFLite-Micro's signal library, and what follows them. All integers equal the reference."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.bands import band_sums
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, greater, less, maximum, minimum, select
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.fixed_point import I32, leading_zeros, shifted_right
from s2s.frontends.tflite.micro.flexbuffer import options_of
from s2s.frontends.tflite.node import Importer, Node
from s2s.types.dtypes import Array

_U32, _U64, _I16, _F64 = (np.dtype(name) for name in ("uint32", "uint64", "int16", "float64"))
_SNR_BITS, _PCAN_BITS = 12, 6
"""Fractional bits of the signal-to-noise ratio, and of the result of PCAN."""
_LOG_SEGMENTS, _LOG_BITS, _LOG_2 = 7, 16, 45426
"""The table of logarithms has 2 ** 7 segments and 16 fractional bits; the last number is log(2) in these."""


def _row(node: Node, position: int, kind: str) -> Value:
    """An operand that is one row of numbers of a type."""
    x = node.input(position)
    require_kinds(node, (x,), kind)
    if x.rank != 1:
        raise node.invalid(f"input {position} has shape {list(x.shape)}", "give one row")
    return x.value


def _filter_bank(node: Node) -> Value:
    """Weighted sums of energies, in 64 bits: each energy goes to a channel, and with what is left of it to the next.

    The channel in front of the first one takes only what is left, and no result.
    """
    x = _row(node, 0, "uint32")
    channels = options_of(node).positive("num_channels")
    weights, rests = node.known(1, "its weights"), node.known(2, "its unweights")
    starts, begins, widths = (
        node.known(3, "the first energy of each channel").astype(np.int64),
        node.known(4, "the first weight of each channel").astype(np.int64),
        node.known(5, "the width of each channel").astype(np.int64),
    )
    require_kinds(node, [node.input(place) for place in range(1, 6)], "int16")
    if weights.ndim != 1 or weights.shape != rests.shape:
        raise node.invalid(f"has weights {list(weights.shape)} and {list(rests.shape)}", "give rows of as many")
    if any(each.ndim != 1 or len(each) <= channels for each in (starts, begins, widths)):
        raise node.invalid(f"has tables too short for {channels} channels", "convert the model again")
    numbers, places, factors = list[Array](), list[Array](), list[Array]()
    for channel, (start, begin, width) in enumerate(zip(starts, begins, widths, strict=False)):
        if channel > channels:
            break
        reach = np.arange(max(0, width))
        if reach.size and (min(start, begin) < 0 or start + width > x.shape[0] or begin + width > len(weights)):
            raise node.invalid(f"channel {channel} leads out of its tables", "convert the model again")
        for to, table in ((channel, weights), (channel + 1, rests)):
            if 1 <= to <= channels:
                numbers.append(start + reach)
                places.append(np.full(reach.size, to - 1))
                factors.append(table[begin + reach])
    tables = np.concatenate(numbers), np.concatenate(places), np.concatenate(factors)
    return band_sums(cast(x, _U64), *tables, channels)


def _square_root(node: Node) -> Value:
    x, bits = _row(node, 0, "uint64"), node.input(1)
    require_kinds(node, (bits,), "int32")
    if bits.value.shape not in ((), (1,)):
        raise node.invalid(f"is shifted by {list(bits.value.shape)} numbers", "give one")
    return root_to_nearest(x, bits.value)


def root_to_nearest(x: Value, bits: Value) -> Value:
    """`sqrt(x)` to nearest, shifted to the right; the root of a number below 2 ** 32 stays below 2 ** 16.

    A root in double precision is off by one at most, which its square tells.
    """
    most = x.like(2**32 - 1)
    root = minimum(cast(emit(graph.SqrtOp, cast(x, _F64)), _U64), most)
    root = select(greater(root * root, x), root - 1, root)
    root = select(less(root + root, x - root * root), root + 1, root)
    rest = x - root * root
    up = emit(graph.LogicalAndOp, greater(rest, root), less(root, select(less(x, 2**32), x.like(2**16 - 1), most)))
    root = cast(select(up, root + 1, root), _U32)
    return emit(graph.ShiftRightOp, root, cast(bits, _U32))


def _spectral_subtraction(node: Node) -> list[Value]:
    x = _row(node, 0, "uint32")
    options = options_of(node)
    smoothing, bits = options.bits("smoothing_bits", 31), options.bits("spectral_subtraction_bits", 63)
    if options.positive("num_channels") != x.shape[0]:
        raise node.invalid(f"subtracts noise of {options.integer('num_channels')} of {x.shape[0]} channels", "fix it")

    def pair(even: str, odd: str) -> tuple[int, int]:
        return options.integer(even), options.integer(odd)

    signal, kept = less_noise(
        x,
        node.own_state("noise", x.shape, _U32),
        pair("smoothing", "alternate_smoothing"),
        pair("one_minus_smoothing", "alternate_one_minus_smoothing"),
        options.integer("min_signal_remaining"),
        smoothing_bits=smoothing,
        bits=bits,
        is_clamped=bool(options.integer("clamping")),
    )
    node.keep_own("noise", kept)
    return [signal, kept]


def less_noise(
    x: Value,
    noise: Value,
    smoothing: tuple[int, int],
    rest: tuple[int, int],
    least: int,
    *,
    smoothing_bits: int,
    bits: int,
    is_clamped: bool,
) -> tuple[Value, Value]:
    """What energies are above an estimate of the noise, which follows them slowly, and the estimate.

    `smoothing` is the share of the energy in the new estimate, `rest` the share of the old one, of even and of odd
    channels; `least` is the share of the energy that stays. All have `bits` fractional bits.
    """

    def alternate(pair: tuple[int, int]) -> Value:
        return x.builder.constant(np.resize(np.array(pair, np.int64) % 2**32, x.shape[0]).astype(np.uint64))

    signal = x * 2**smoothing_bits
    sums = cast(signal, _U64) * alternate(smoothing) + cast(noise, _U64) * alternate(rest)
    estimate = cast(shifted_right(sums, bits), _U32)
    limited = minimum(estimate, signal)
    floor = shifted_right(cast(x, _U64) * (least % 2**32), bits)
    above = maximum(shifted_right(signal - limited, smoothing_bits), cast(floor, _U32))
    return above, limited if is_clamped else estimate


def _pcan(node: Node) -> Value:
    x, noise, table = _row(node, 0, "uint32"), _row(node, 1, "uint32"), _row(node, 2, "int16")
    shift = options_of(node).bits("snr_shift", 63)
    if noise.shape != x.shape or table.shape[0] < 125:
        raise node.invalid(f"has noise {list(noise.shape)} and a table of {list(table.shape)}", "give as many, and 125")
    return with_gain(x, noise, table, shift)


def with_gain(x: Value, noise: Value, table: Value, shift: int) -> Value:
    """Energies times a gain that depends on the noise, by a table of polynomials, and compressed."""
    gain = cast(_polynomial(noise, table), _U32)
    snr = cast(shifted_right(cast(x, _U64) * cast(gain, _U64), shift), _U32)
    square = shifted_right(snr * snr, 2 + 2 * _SNR_BITS - _PCAN_BITS)
    linear = shifted_right(snr, _SNR_BITS - _PCAN_BITS) - 2**_PCAN_BITS
    return select(less(snr, 2 << _SNR_BITS), square, linear)


def _polynomial(x: Value, table: Value) -> Value:
    """The function of `x` that is given by a polynomial of degree 2 between powers of two, as 16 bits."""
    interval = 32 - leading_zeros(x)
    small = less(x, 3)
    place = select(small, x.like(0), interval * 4 - 6)

    def coefficient(number: int) -> Value:
        return cast(emit(graph.GatherOp, table, cast(place + number, I32), axis=0), I32)

    left = emit(graph.ShiftLeftOp, x, 11 - minimum(interval, 11))
    fraction = emit(graph.ShiftRightOp, left, maximum(interval, 11) - 11)
    fraction = cast(emit(graph.BitwiseAndOp, fraction, fraction.like(0x3FF)), I32)
    y = (shifted_right(coefficient(2) * fraction, 5) + coefficient(1) * 32) * fraction
    y = shifted_right(y + 2**14, 15) + coefficient(0)
    first = cast(emit(graph.GatherOp, table, cast(minimum(x, 2), I32), axis=0), I32)
    return cast(cast(select(small, first, y), _I16), I32)


def _log(node: Node) -> Value:
    options = options_of(node)
    shift, scale = options.bits("input_correction_bits", 31), options.integer("output_scale") % 2**32
    return logarithms(_row(node, 0, "uint32") * 2**shift, scale)


def logarithms(x: Value, scale: int) -> Value:
    """`scale * log(x)`, by a table, saturated to 16 bits; zero for what is below 2."""
    whole = 31 - leading_zeros(maximum(x, 1))
    left = emit(graph.ShiftLeftOp, x, _LOG_BITS - minimum(whole, _LOG_BITS))
    fraction = emit(graph.ShiftRightOp, left, maximum(whole, _LOG_BITS) - _LOG_BITS)
    fraction = cast(emit(graph.BitwiseAndOp, fraction, fraction.like(2**_LOG_BITS - 1)), I32)
    segment = shifted_right(fraction, _LOG_BITS - _LOG_SEGMENTS)
    table = x.builder.constant(log_table().astype(np.int32))
    low, high = (emit(graph.GatherOp, table, segment + step, axis=0) for step in (0, 1))
    rest = fraction - segment * 2 ** (_LOG_BITS - _LOG_SEGMENTS)
    fraction = fraction + low + shifted_right((high - low) * rest, _LOG_BITS)
    log_2 = whole * 2**_LOG_BITS + cast(fraction, _U32)
    natural = cast(shifted_right(cast(log_2, _U64) * _LOG_2 + 2 ** (_LOG_BITS - 1), _LOG_BITS), _U32)
    y = minimum(shifted_right(natural * scale + 2 ** (_LOG_BITS - 1), _LOG_BITS), 2**15 - 1)
    return cast(select(greater(x, 1), y, 0), _I16)


def log_table() -> Array:
    """`log2(1 + t) - t` at both ends of each segment of `0 <= t < 1`."""
    places = np.arange(2**_LOG_SEGMENTS + 1) / 2**_LOG_SEGMENTS
    return np.floor(0.5 + 2**_LOG_BITS * (np.log2(1 + places) - places))


IMPORTERS: Mapping[str, Importer] = {
    "SignalFilterBank": _filter_bank,
    "SignalFilterBankLog": _log,
    "SignalFilterBankSpectralSubtraction": _spectral_subtraction,
    "SignalFilterBankSquareRoot": _square_root,
    "SignalPCAN": _pcan,
}
