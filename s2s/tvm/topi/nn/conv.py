"""Convolutions as tensor expressions: a padded input, then one reduction."""

from collections.abc import Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Expr, IterVar, Tensor
from s2s.tvm.te.tensors import compute, reduce_axis
from s2s.tvm.topi.nn.pad import dilate, numbers_for, pad, pads_of
from s2s.tvm.topi.utils import get_const_int


def conv(
    inp: Tensor,
    filt: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    data_layout: str,
    kernel_layout: str = "",
    out_dtype: str | None = None,
) -> Tensor:
    """A convolution of any number of spatial dimensions in layouts of letters such as `NCHW` and `OIHW`."""
    spatial = [each for each in data_layout if each not in "NC"]
    order = kernel_layout or ("OI" + "".join(spatial) if data_layout[1] == "C" else "".join(spatial) + "IO")
    if sorted(data_layout) != sorted(["N", "C", *spatial]) or sorted(order) != sorted(["O", "I", *spatial]):
        raise InputError(f"topi.nn.conv: layouts {data_layout} and {order}: blocked ones are the compiler's; give NCHW")
    sizes = {each: get_const_int(size) for each, size in zip(data_layout, inp.shape, strict=True)}
    kernel = {each: get_const_int(size) for each, size in zip(order, filt.shape, strict=True)}
    steps, gaps = numbers_for("stride", stride, len(spatial)), numbers_for("dilation", dilation, len(spatial))
    if sizes["C"] != kernel["I"] * groups or kernel["O"] % groups:
        raise InputError(
            f"topi.nn.conv: {sizes['C']} channels in {groups} groups for a kernel of {kernel['I']} to {kernel['O']}; "
            "make them agree"
        )
    windows = [(kernel[each] - 1) * gap + 1 for each, gap in zip(spatial, gaps, strict=True)]
    pads = dict(zip(spatial, pads_of(padding, windows), strict=True))
    data = _padded(inp, data_layout, pads)
    out = {
        each: (sizes[each] + sum(pads[each]) - window) // step + 1
        for each, window, step in zip(spatial, windows, steps, strict=True)
    }
    loops = {each: reduce_axis((0, kernel[each]), f"r{each.lower()}") for each in ("I", *spatial)}
    result = out_dtype or inp.dtype
    wide = kernel["O"] // groups

    def formula(*indices: IterVar) -> Expr:
        at: dict[str, Expr] = dict(zip(data_layout, indices, strict=True))
        channel = loops["I"] if groups == 1 else at["C"] // wide * kernel["I"] + loops["I"]
        read: dict[str, Expr] = {"N": at["N"], "C": channel}
        read |= {
            each: at[each] * step + loops[each] * gap for each, step, gap in zip(spatial, steps, gaps, strict=True)
        }
        weight = {**loops, "O": at["C"]}
        x, w = data(*(read[each] for each in data_layout)), filt(*(weight[each] for each in order))
        return operators.sum(x.astype(result) * w.astype(result), axis=list(loops.values()))

    shape = [{"N": sizes["N"], "C": kernel["O"], **out}[each] for each in data_layout]
    return compute(shape, formula, f"conv{len(spatial)}d_{data_layout.lower()}")


def _padded(data: Tensor, layout: str, pads: dict[str, tuple[int, int]]) -> Tensor:
    if not any(map(any, pads.values())):
        return data
    both = [pads.get(each, (0, 0)) for each in layout]
    return pad(data, [each[0] for each in both], [each[1] for each in both], name="pad_temp")


def conv2d(
    input: Tensor,
    filter: Tensor,
    strides: Any,
    padding: Any,
    dilation: Any,
    data_layout: str = "NCHW",
    kernel_layout: str = "",
    out_dtype: str | None = None,
) -> Tensor:
    """A convolution of two spatial dimensions."""
    return conv(input, filter, strides, padding, dilation, 1, data_layout, kernel_layout, out_dtype)


def conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, out_dtype: str | None = None
) -> Tensor:
    """A convolution of NCHW by OIHW."""
    return conv(Input, Filter, stride, padding, dilation, 1, "NCHW", "OIHW", out_dtype)


def conv2d_nhwc(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    out_dtype: str | None = "float32",
    auto_scheduler_rewritten_layout: str = "",
    meta_schedule_original_shape: Sequence[int] | None = None,
) -> Tensor:
    """A convolution of NHWC by HWIO."""
    refuse_rewritten("conv2d_nhwc", auto_scheduler_rewritten_layout, meta_schedule_original_shape)
    return conv(Input, Filter, stride, padding, dilation, 1, "NHWC", "HWIO", out_dtype)


def refuse_rewritten(name: str, layout: str, shape: object) -> None:
    """Refuse the arguments that TVM's own schedulers pass to computes."""
    if layout or shape is not None:
        raise InputError(f"topi.nn.{name}: a rewritten layout is given; the compiler chooses layouts, leave it out")


def conv2d_hwcn(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, out_dtype: str | None = None
) -> Tensor:
    """A convolution of HWCN by HWIO."""
    return conv(Input, Filter, stride, padding, dilation, 1, "HWCN", "HWIO", out_dtype)


def group_conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int, out_dtype: str | None = None
) -> Tensor:
    """A convolution of NCHW by OIHW in groups of channels."""
    return conv(Input, Filter, stride, padding, dilation, groups, "NCHW", "OIHW", out_dtype)


def group_conv2d_nhwc(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, groups: int, out_dtype: str | None = None
) -> Tensor:
    """A convolution of NHWC by HWIO in groups of channels."""
    return conv(Input, Filter, stride, padding, dilation, groups, "NHWC", "HWIO", out_dtype)


def conv1d(
    data: Tensor,
    kernel: Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    data_layout: str = "NCW",
    kernel_layout: str = "",
    out_dtype: str | None = None,
) -> Tensor:
    """A convolution of one spatial dimension."""
    return conv(data, kernel, strides, padding, dilation, 1, data_layout, kernel_layout, out_dtype)


def conv1d_ncw(
    data: Tensor,
    kernel: Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    out_dtype: str | None = None,
) -> Tensor:
    """A convolution of NCW by OIW."""
    return conv(data, kernel, strides, padding, dilation, 1, "NCW", "OIW", out_dtype)


def conv1d_nwc(
    data: Tensor,
    kernel: Tensor,
    strides: Any = 1,
    padding: Any = "VALID",
    dilation: Any = 1,
    out_dtype: str | None = None,
) -> Tensor:
    """A convolution of NWC by WIO."""
    return conv(data, kernel, strides, padding, dilation, 1, "NWC", "WIO", out_dtype)


def depthwise_conv2d_nchw(
    Input: Tensor, Filter: Tensor, stride: Any, padding: Any, dilation: Any, out_dtype: str | None = None
) -> Tensor:
    """A convolution of each channel by itself: NCHW by kernels of shape [channels, multiplier, height, width]."""
    return _depthwise(Input, Filter, stride, padding, dilation, out_dtype, "NCHW", "CMHW")


def depthwise_conv2d_nhwc(
    Input: Tensor,
    Filter: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    kernel_layout: str = "HWOI",
    out_dtype: str | None = None,
) -> Tensor:
    """A convolution of each channel by itself: NHWC by kernels of shape [height, width, channels, multiplier]."""
    order = {"HWOI": "HWCM", "HWIO": "HWMC"}.get(kernel_layout)
    if order is None:
        raise InputError(
            f"topi.nn.depthwise_conv2d_nhwc: kernel_layout {kernel_layout}: is not known; give HWOI or HWIO"
        )
    return _depthwise(Input, Filter, stride, padding, dilation, out_dtype, "NHWC", order)


def _depthwise(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, dilation: Any, dtype: str | None, layout: str, order: str
) -> Tensor:
    sizes = {each: get_const_int(size) for each, size in zip(layout, data.shape, strict=True)}
    window = {each: get_const_int(size) for each, size in zip(order, kernel.shape, strict=True)}
    steps, gaps = dict(zip("HW", numbers_for("stride", stride), strict=True)), dict(
        zip("HW", numbers_for("dilation", dilation), strict=True)
    )  # fmt: skip
    reach = {each: (window[each] - 1) * gaps[each] + 1 for each in "HW"}
    pads = dict(zip("HW", pads_of(padding, list(reach.values())), strict=True))
    padded = _padded(data, layout, pads)
    loops = {each: reduce_axis((0, window[each]), f"r{each.lower()}") for each in "HW"}
    many, result = window["M"], dtype or data.dtype

    def formula(*indices: IterVar) -> Expr:
        at: dict[str, Expr] = dict(zip(layout, indices, strict=True))
        channel, multiplier = (at["C"], 0) if many == 1 else (at["C"] // many, at["C"] % many)
        read = {
            "N": at["N"],
            "C": channel,
            **{each: at[each] * steps[each] + loops[each] * gaps[each] for each in "HW"},
        }
        weight: dict[str, Any] = {"C": channel, "M": multiplier, **loops}
        x, w = padded(*(read[each] for each in layout)), kernel(*(weight[each] for each in order))
        return operators.sum(x.astype(result) * w.astype(result), axis=list(loops.values()))

    out = {each: (sizes[each] + sum(pads[each]) - reach[each]) // steps[each] + 1 for each in "HW"}
    shape = [{"N": sizes["N"], "C": sizes["C"] * many, **out}[each] for each in layout]
    return compute(shape, formula, "DepthwiseConv2d")


def conv2d_transpose_nchw(
    Input: Tensor, Filter: Tensor, strides: Any, padding: Any, out_dtype: str, output_padding: Any
) -> Tensor:
    """A transposed convolution of NCHW by IOHW: a convolution of the input with gaps, by the turned kernel."""
    steps, more = numbers_for("strides", strides), numbers_for("output_padding", output_padding)
    window = [get_const_int(size) for size in Filter.shape[2:]]
    pads = pads_of(padding, window)
    spread = dilate(Input, [1, 1, *steps], name="data_dilate")
    before = [size - 1 - low for size, (low, _) in zip(window, pads, strict=True)]
    behind = [size - 1 - high + each for size, (_, high), each in zip(window, pads, more, strict=True)]
    data = pad(spread, [0, 0, *before], [0, 0, *behind], name="data_pad")
    channels = get_const_int(Filter.shape[0])
    loops = [reduce_axis((0, size), name) for size, name in zip((channels, *window), ("dc", "dh", "dw"), strict=True)]
    dc, dh, dw = loops
    height, width = (get_const_int(size) - each + 1 for size, each in zip(data.shape[2:], window, strict=True))

    def formula(b: IterVar, c: IterVar, h: IterVar, w: IterVar) -> Expr:
        turned = Filter(dc, c, window[0] - 1 - dh, window[1] - 1 - dw)
        return operators.sum(data(b, dc, h + dh, w + dw).astype(out_dtype) * turned.astype(out_dtype), axis=loops)

    return compute((Input.shape[0], Filter.shape[1], height, width), formula, "conv2d_transpose")
