"""`s2s quantize`: quantise a float model to 8-bit integers on samples."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.quantization import LayerNoise, Quantized


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
    metavar="SAMPLES.npz",
    help="Typical inputs: an array for each input of the network, samples one after the other.",
)
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    metavar="FILE",
    help="Model to write; by default MODEL_int8.onnx, or .pt2, here.",
)
@click.option(
    "--method",
    type=click.Choice(["minmax", "entropy", "percentile"]),
    default="minmax",
    help="Ranges of activations: all values, or without rare large ones.",
)
@click.option(
    "--refine/--no-refine",
    default=True,
    help="Equalise channels and correct biases, where that brings the outputs closer to floats.",
)
@click.option(
    "--labels",
    metavar="NAME",
    help="Array of SAMPLES.npz with the class of each sample, from 0: shows how many are classified rightly.",
)
@click.option(
    "--test",
    type=options.PATH,
    metavar="HELD_OUT.npz",
    help="Other samples to classify, with --labels; by default those of --data.",
)
@click.option(
    "--ports",
    type=click.Choice(["float", "int8"]),
    default="float",
    help="Inputs and outputs in floats as before, or in integers.",
)
@options.flag_of("shapes")
@options.flag_of("trust_model")
@options.as_json
def quantize_command(
    model: Path,
    data: Path,
    output: Path | None,
    method: Literal["minmax", "entropy", "percentile"],
    refine: bool,
    labels: str | None,
    test: Path | None,
    ports: Literal["float", "int8"],
    shape: tuple[str, ...],
    trust_model: bool,
    as_json: bool,
) -> None:
    """Quantise a network to 8 bits, and show the error of each layer.

    Weights get a scale for each output channel, activations one that fits the samples. `s2s compile` takes the result.

    Example: s2s quantize kws.onnx --data samples.npz -o kws_int8.onnx
    """
    from s2s.cli.output import print_json, steps_shown
    from s2s.frontends.named_axes import sized
    from s2s.frontends.recognition import format_of
    from s2s.options.values import shapes_of
    from s2s.quantization import quantize

    kind = ".pt2" if format_of(model) == "PyTorch" else ".onnx"
    target = output if output is not None else Path(f"{model.name.partition('.')[0]}_int8{kind}")
    if test is not None and labels is None:
        raise InputError("--test: needs the classes of the samples; name their array with --labels")
    with steps_shown():
        shapes = sized(shapes_of(shape), {})
        made = quantize(
            model,
            data,
            method=method,
            refine=refine,
            labels=labels,
            test=test,
            ports=ports,
            shapes=shapes,
            trust=trust_model,
        )
        made.save(target)
    if as_json:
        print_json({"model": str(target), **made.as_dict()})
    else:
        show(made, target)


def show(made: "Quantized", target: Path) -> None:
    """Print the table of layers and the path of the model."""
    from rich.console import Console
    from rich.table import Table

    table = Table("layer", "operator", title=f"what 8 bits cost, on {made.samples} samples")
    for heading in ("SQNR in dB", "largest error", "of values up to"):
        table.add_column(heading, justify="right")
    for layer in made.layers:
        table.add_row(*row(layer))
    console = Console(highlight=False)
    console.print(table)
    for line in (*sizes(made), f"The model is {target}; try: s2s compile {target}"):
        console.print(line, soft_wrap=True)


def sizes(made: "Quantized") -> Iterator[str]:
    """Describe the refinements, the weights before and after, the accuracy, and the operators that stay in floats."""
    if made.refinements:
        yield f"closer to floats than without: {', '.join(made.refinements)}"
    yield f"weights: {made.weights_before:,} bytes before, {made.weights_after:,} after"
    if made.accuracy is not None:
        yield from made.accuracy.describe()
    for node in made.floats:
        weights = f", with {node.weight_bytes:,} bytes of weights" if node.weight_bytes else ""
        yield f"{node.node} ({node.operator}): stays in floats{weights}; {node.reason}"


def row(layer: "LayerNoise") -> tuple[str, ...]:
    """Return the cells of a layer."""
    numbers = (f"{layer.largest_error:.3g}", f"{layer.largest_value:.3g}")
    return layer.node, layer.operator, f"{layer.sqnr:.1f}", *numbers
