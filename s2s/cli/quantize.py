"""`s2s quantize`: quantise a float model to 8-bit integers on samples."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.within import Limits, show_front, within
from s2s.support.extras import require_extra

if TYPE_CHECKING:
    from s2s.mixed.front import Picked
    from s2s.quantization import LayerNoise, Quantized
    from s2s.quantization.ranges import Convergence


@command("quantize")
@click.argument(
    "model",
    type=options.PATH,
    metavar="MODEL",
    help="The network: .onnx, .pt2, or FILE.py:FUNCTION, which makes a module.",
)
@click.option(
    "--data",
    type=options.PATH,
    required=True,
    metavar="SAMPLES",
    help="Typical inputs: .npz, .npy, .csv, .parquet or .arrow, a folder of images or sounds, or FILE.py:FUNCTION.",
)
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    metavar="FILE",
    help="Model to write; by default MODEL_int8.onnx, or .pt2, here. A FILE.tflite is written of ONNX models, too.",
)
@click.option(
    "--method",
    type=click.Choice(["minmax", "entropy", "percentile", "mse"]),
    default="minmax",
    help="Ranges of activations: all values, or without rare large ones.",
)
@click.option(
    "--refine/--no-refine",
    default=True,
    help="Equalise channels, cut ranges, round weights together, correct biases: what brings the outputs closer to "
    "floats.",
)
@click.option(
    "--labels",
    metavar="NAME",
    help="Array or column with the class of each sample: shows how many are classified rightly. Subfolders are classes "
    "by themselves.",
)
@click.option(
    "--test",
    type=options.PATH,
    metavar="HELD_OUT",
    help="Other samples to classify; by default those of --data.",
)
@click.option(
    "--ports",
    type=click.Choice(["float", "int8"]),
    default="float",
    help="Inputs and outputs in floats as before, or in integers.",
)
@click.option(
    "--activations",
    type=click.Choice(["int8", "int16"]),
    default="int8",
    help="Bits of activations; weights have 8. 16 bits (ONNX models) take twice the RAM, and lose next to nothing.",
)
@click.option(
    "--metric",
    default="accuracy",
    metavar="NAME",
    help="What is compared beside the usual: accuracy, f1, auc, map, or FILE.py:FUNCTION of scores and labels.",
)
@click.option("--html", type=options.PATH, metavar="FILE", help="Write a page with the choices, accuracy and errors.")
@within
@options.flag_of("pre")
@options.flag_of("shapes")
@options.flag_of("trust_model")
@options.as_json
def quantize_command(
    model: Path,
    data: Path,
    output: Path | None,
    method: Literal["minmax", "entropy", "percentile", "mse"],
    refine: bool,
    labels: str | None,
    test: Path | None,
    ports: Literal["float", "int8"],
    activations: Literal["int8", "int16"],
    metric: str,
    html: Path | None,
    pre: tuple[str, ...],
    shape: tuple[str, ...],
    trust_model: bool,
    as_json: bool,
    limits: Limits,
) -> None:
    """Quantise a network to 8 bits, or within the memory and time of a device, and show the error of each layer.

    Weights get a scale for each output channel, activations one that fits the samples. `s2s compile` takes the result.

    Example: s2s quantize kws.onnx --data samples.npz -o kws_int8.onnx

    Example: s2s quantize birds.onnx --data photos --pre normalise:std=255 --pre channels-first

    Example: s2s quantize kws.onnx --data words --flash 48KiB --time 5M --min-accuracy 0.9
    """
    from s2s.cli.output import print_json, steps_shown
    from s2s.frontends.named_axes import sized
    from s2s.frontends.recognition import WRITTEN, check_suffix, format_of
    from s2s.options.values import shapes_of
    from s2s.quantization import quantize
    from s2s.quantization.result import formats_of
    from s2s.quantization.settings import settings_of

    formats = formats_of(format_of(model))
    target = output or Path(f"{model.name.partition('.')[0]}_int8{WRITTEN[formats[0]]}")
    check_suffix(target, *formats)
    bits = {"method": method, "refine": refine, "ports": ports, "activations": activations}
    stated: dict[str, Any] = {"labels": labels, "test": test, "pre": pre, "metric": metric, **bits}
    stated["shapes"] = sized(shapes_of(shape), {})
    picked = None
    if html is not None:
        require_extra("report", "--html")
    with steps_shown():
        if limits.are_given:
            result, picked = limits.quantized(model, data, settings_of(**stated))
        else:
            result = quantize(model, data, trust=trust_model, **stated)
        result.save(target)
    if html is not None:
        write_page(html, model.name, result, picked)
    if as_json:
        print_json({"model": str(target), **result.as_dict(), **({} if picked is None else picked.as_dict())})
    else:
        show(result, target, picked)


def write_page(file: Path, name: str, result: "Quantized", picked: "Picked | None") -> None:
    """Write the page of a quantised network."""
    from s2s.report.html.quantised import quantised_page
    from s2s.support.files import write_file

    write_file(file, quantised_page(name, result, picked), f"--html {file}")


def show(result: "Quantized", target: Path, picked: "Picked | None") -> None:
    """Print the table of layers, the path of the model, and the choices within bounds."""
    from rich.console import Console
    from rich.table import Table

    table = Table("layer", "operator", title=f"what quantisation costs, on {result.samples} samples")
    for heading in ("SQNR in dB", "largest error", "of values up to"):
        table.add_column(heading, justify="right")
    for layer in result.layers:
        table.add_row(*row(layer))
    console = Console(highlight=False)
    console.print(table)
    for line in (*sizes(result), f"The model is {target}; try: s2s compile {target}"):
        console.print(line, soft_wrap=True)
    if picked is not None:
        show_front(picked)


def sizes(result: "Quantized") -> Iterator[str]:
    """Describe the refinements, the weights before and after, the accuracy, and the operators that stay in floats."""
    if result.refinements:
        yield f"closer to floats than without: {', '.join(result.refinements)}"
    yield f"weights: {result.weights_before:,} bytes before, {result.weights_after:,} after"
    if result.convergence is not None:
        yield enough(result.samples, result.convergence)
    if result.accuracy is not None:
        yield from result.accuracy.describe()
    for node in result.floats:
        weights = f", with {node.weight_bytes:,} bytes of weights" if node.weight_bytes else ""
        yield f"{node.node} ({node.operator}): stays in floats{weights}; {node.reason}"


def enough(samples: int, settled: "Convergence") -> str:
    """Say whether there are enough samples: whether half of them have nearly the same ranges."""
    if settled.needed * 2 <= samples:
        return f"samples: {samples}, enough; {settled.needed} of them reach 98 % of each range"
    shown = f"half of them reach {settled.half:.0%} of the range of {settled.tensor}"
    return f"samples: {samples}, few; {shown}, so more of them may widen it"


def row(layer: "LayerNoise") -> tuple[str, ...]:
    """Return the cells of a layer."""
    numbers = (f"{layer.largest_error:.3g}", f"{layer.largest_value:.3g}")
    return layer.node, layer.operator, f"{layer.sqnr:.1f}", *numbers
