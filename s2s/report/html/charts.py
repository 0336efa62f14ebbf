"""Draw the charts of the page by matplotlib, as SVG in the text colour of the page."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from s2s.passes.loop.timeline import BEFORE, Occupied
from s2s.profiling.machine import Machine
from s2s.profiling.profile import Row
from s2s.report.figures import Figures, Layer
from s2s.support.extras import optional_module

if TYPE_CHECKING:
    from s2s.mixed.front import Picked

INK = "#0a0b0c"
"""Stands for the page's text colour: no chart uses it for anything else."""
COLOURS = {"input": "#5b8def", "state": "#b07cd8", "result": "#3fa796", "scratch": "#e0a458"}
WIDTH = 10.0
"""Of a chart, in inches of 72 points."""
ROW = 0.24
"""The height of a layer in the picture of the network, in inches."""
MAX_LABELLED = 60
"""Maps with more buffers than this show no names; the table beside them does."""
MAX_LAYERS = 400
"""Networks with more layers than this have no picture."""
MAX_LABEL_LENGTH = 40
"""Characters of a name in a chart."""
MAX_OPERATOR_LENGTH = 36
"""Characters of the operators of a layer in a chart."""
_SVG = re.compile(r"<svg.*</svg>", re.DOTALL)
_BOX = re.compile(r'<g id="buffer-(\d+)">')
_METADATA = re.compile(r"<metadata>.*?</metadata>\n?", re.DOTALL)


def network_chart(figures: Figures) -> str:
    """Draw the layers from first to last with their data dependences, and bars for their share of time, instructions
    or operations."""
    layers = figures.layers
    if not 0 < len(layers) <= MAX_LAYERS:
        return ""
    lanes = list(_lanes(layers))
    share, what = _shares(layers, "instructions" if figures.board is None else figures.board.unit)
    return _draw(len(layers) * ROW + 0.5, lambda axes: _draw_network(axes, layers, lanes, share, what))


def memory_chart(figures: Figures) -> str:
    """Draw the arena over the steps of a run: each buffer as a box of its bytes and lifetime."""
    if not figures.timeline.buffers or figures.arena == 0:
        return ""
    chart = _draw(4.2, lambda axes: _draw_memory(axes, figures))
    return _BOX.sub(lambda found: found[0] + _title(figures.timeline.buffers[int(found[1])]), chart)


def roofline_chart(rows: Sequence[Row], machine: Machine) -> str:
    """Draw operations per second over operations per byte for each kernel, with the peaks of the machine."""
    shown = [row for row in rows if row.intensity > 0 and row.min_us > 0]
    return _draw(4.2, lambda axes: _draw_roofline(axes, shown, machine)) if shown else ""


def front_chart(picked: "Picked") -> str:
    """Draw the quality of the output over flash for each choice of widths, with a ring around the chosen one."""
    return _draw(3.4, lambda axes: _draw_front(axes, picked))


def _draw_front(axes: Any, picked: "Picked") -> None:
    kib = [point.price.flash / 1024 for point in picked.front]
    ratios = [point.sqnr for point in picked.front]
    axes.plot(kib, ratios, "o-", color=COLOURS["result"], linewidth=0.8)
    for x, y, point in zip(kib, ratios, picked.front, strict=True):
        right = "" if point.metric is None else f"{picked.metric} {point.metric:.4g}, "
        text = f"{right}{point.price.cycles:,} {picked.unit}"
        axes.annotate(text, (x, y), (6, -10), textcoords="offset points", fontsize=7)
    chosen = picked.point
    axes.plot([chosen.price.flash / 1024], [chosen.sqnr], "o", markersize=12, fillstyle="none", color=INK)
    axes.margins(x=0.2, y=0.15)
    axes.set_xlabel("KiB of flash")
    axes.set_ylabel("SQNR of the output in dB")


def _draw_network(
    axes: Any, layers: Sequence[Layer], lanes: Sequence[tuple[int, int, int]], share: Sequence[float], what: str
) -> None:
    left = -0.2 - 0.35 * max((lane for _, _, lane in lanes), default=0)
    largest = max(share) or 1.0
    for number, layer in enumerate(layers):
        axes.barh(number, share[number] / largest, 0.72, left=6.2, color=COLOURS["result"])
        axes.plot([0], [number], "o", color=COLOURS["result"], markersize=5)
        axes.text(0.15, number, _short(layer.operator or layer.kernel, MAX_OPERATOR_LENGTH), va="center", fontsize=8)
        axes.text(2.3, number, _short(layer.nodes or layer.kernel), va="center", fontsize=8, alpha=0.7)
        axes.text(4.7, number, "×".join(map(str, layer.shape)), va="center", fontsize=8)
        if share[number] >= 0.005:
            axes.text(6.25 + share[number] / largest, number, f"{share[number]:.0%}", va="center", fontsize=8)
        if number - 1 in layer.reads:
            axes.plot([0, 0], [number - 1, number], color=INK, linewidth=0.8)
    for first, last, lane in lanes:
        x = -0.15 - 0.35 * lane
        axes.plot([0, x, x, 0], [first, first + 0.3, last - 0.3, last], color=INK, linewidth=0.8, alpha=0.6)
    axes.set_xlim(left, 7.6)
    axes.set_ylim(len(layers) - 0.4, -1.1)
    axes.text(6.2, -0.8, f"share of {what}", fontsize=8)
    axes.text(4.7, -0.8, "result", fontsize=8)
    axes.axis("off")


def _lanes(layers: Sequence[Layer]) -> Iterator[tuple[int, int, int]]:
    """Return first layer, last layer and lane of each connection that skips layers; connections in one lane do not
    overlap."""
    ends: list[int] = []
    skips = (
        (step, number) for number, layer in enumerate(layers) for step in layer.reads if BEFORE < step < number - 1
    )
    for first, last in sorted(skips):
        free = next((lane for lane, end in enumerate(ends) if end <= first), len(ends))
        ends[free:] = [last, *ends[free + 1 :]]
        yield first, last, free + 1


def _shares(layers: Sequence[Layer], unit: str) -> tuple[list[float], str]:
    """Return the share of each layer, and its measure: the time here, counts of a board in `unit`, or operations."""
    costs = {
        "time": [layer.time for layer in layers],
        unit: [layer.counted for layer in layers],
        "operations": [layer.operations for layer in layers],
    }
    what = next(what for what, values in costs.items() if any(value is not None for value in values))
    values = [float(value or 0) for value in costs[what]]
    whole = sum(values) or 1.0
    return [value / whole for value in values], what


def _draw_memory(axes: Any, figures: Figures) -> None:
    labelled = len(figures.timeline.buffers) <= MAX_LABELLED
    for number, each in enumerate(figures.timeline.buffers):
        first, last = max(each.first, 0) - (each.first == BEFORE), each.last + 1
        axes.bar(
            first,
            each.size,
            last - first,
            bottom=each.offset,
            align="edge",
            color=COLOURS[each.kind],
            alpha=0.7,
            edgecolor=INK,
            linewidth=0.5,
            gid=f"buffer-{number}",
        )
        if labelled and each.size > figures.arena * 0.05:
            axes.text(
                (first + last) / 2,
                each.offset + each.size / 2,
                _short(_writer(figures, each), 3 + 8 * (last - first)),
                ha="center",
                va="center",
                fontsize=7,
            )
    axes.axvline(figures.timeline.fullest + 0.5, color=INK, linewidth=0.8, linestyle=":")
    axes.set_xlim(-1, len(figures.layers))
    axes.set_ylim(0, figures.arena)
    axes.set_xlabel("layer, as the table of kernels counts them")
    axes.set_ylabel("KiB of the arena")
    axes.yaxis.set_major_formatter(_in_kib)
    axes.yaxis.set_major_locator(_whole_kib(figures.arena))
    patches: Any = import_module("matplotlib.patches")
    kinds = [kind for kind in COLOURS if any(each.kind == kind for each in figures.timeline.buffers)]
    handles = [patches.Patch(color=COLOURS[kind], alpha=0.7, label=kind) for kind in kinds]
    axes.legend(handles=handles, loc="upper center", ncols=len(kinds), frameon=False, bbox_to_anchor=(0.5, 1.12))


def _in_kib(size: float, _: int) -> str:
    return f"{size / 1024:g}"


def _whole_kib(arena: int) -> Any:
    """The places of ticks: at most six, at powers of two of bytes."""
    step = 1 << max((arena // 6).bit_length(), 6)
    return import_module("matplotlib.ticker").MultipleLocator(step)


def _writer(figures: Figures, buffer: Occupied) -> str:
    """The kernel that writes a buffer, or the name of an input or a state."""
    if buffer.first == BEFORE:
        return buffer.name
    return figures.layers[buffer.first].kernel.removeprefix(f"{figures.name}_")


def _title(buffer: Occupied) -> str:
    """Return what a browser shows while the pointer rests on the box of a buffer."""
    steps = f"steps {max(buffer.first, 0)} to {buffer.last}"
    text = f"{buffer.name}: {buffer.kind}, {buffer.size:,} bytes at {buffer.offset:,}, {steps}"
    return f"<title>{escape(text)}</title>"


def _draw_roofline(axes: Any, rows: Sequence[Row], machine: Machine) -> None:
    peak = max(
        machine.float_gflops if any(row.flops for row in rows) else 0.0,
        machine.int8_gops if any(row.integer_ops for row in rows) else 0.0,
    )
    intensities = [row.intensity for row in rows]
    low, high = min(intensities) / 2, max(*intensities, peak / machine.levels[-1].read_gbs) * 2
    for level in machine.levels:
        reach = min(max(peak / level.read_gbs, low), high)
        axes.plot([low, reach], [low * level.read_gbs, reach * level.read_gbs], color=INK, linewidth=0.8)
        axes.annotate(
            level.name,
            (low, low * level.read_gbs),
            (-4, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=8,
        )
    axes.plot([low, high], [peak, peak], color=INK, linewidth=0.8)
    largest = max(row.share for row in rows)
    for row in rows:
        rate = (row.flops + row.integer_ops) / row.min_us * 1e-3
        axes.scatter(row.intensity, rate, s=20 + 200 * row.share / largest, color=COLOURS["result"], alpha=0.6)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("operations per byte")
    axes.set_ylabel("billions of operations per second")


def _draw(height: float, draw: Callable[[Any], None]) -> str:
    """Return a chart as an SVG element with text as text and without a date, so that it is reproducible."""
    plots = _matplotlib()
    figure, axes = plots.subplots(figsize=(WIDTH, height), layout="constrained")
    try:
        draw(axes)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    finally:
        plots.close(figure)
    found = _SVG.search(_METADATA.sub("", out.getvalue()))
    assert found is not None
    return re.sub(
        r'width="[\d.]+pt" height="[\d.]+pt"', 'class="chart"', found[0].replace(INK, "currentColor"), count=1
    )


def _matplotlib() -> Any:
    """Return `matplotlib.pyplot`, configured for this page."""
    module: Any = optional_module("matplotlib", "report", "--html")
    module.use("svg")
    coloured = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    module.rcParams.update(
        {
            "svg.hashsalt": "s2s",
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "font.size": 9,
            "text.parse_math": False,
            **dict.fromkeys(coloured, INK),
        }
    )
    return import_module("matplotlib.pyplot")


def _short(text: str, longest: int = MAX_LABEL_LENGTH) -> str:
    """`text` with an ellipsis where it is too long."""
    return text if len(text) <= longest else f"{text[: max(longest - 1, 1)]}…"
