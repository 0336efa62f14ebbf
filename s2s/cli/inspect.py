"""`s2s inspect`: what is in a network, and whether s2s can compile it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from s2s.cli import options
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.passes.tensor.channel_layouts import TensorLayout
    from s2s.report.inspection import Inspection
    from s2s.report.reasons import Reasons

NOT_SUPPORTED = 3
"""The exit code of an `UnsupportedError`."""


def inspect_command(
    model: options.Model,
    shape: options.Shapes = None,
    why_layout: Annotated[
        bool,
        typer.Option("--why-layout", help="Show how tensors are laid out and kernels run on a target, and why."),
    ] = False,
    target: options.Target = None,
    as_json: options.Json = False,
) -> None:
    """Show a network: inputs, outputs, operators, weights, work. Exits with 3 when something is not supported.

    Example: s2s inspect kws.onnx --json
    """
    from s2s.cli.output import print_json, steps_shown
    from s2s.report.inspection import inspect_model

    if why_layout:
        _explain(model, shape, target or "host", as_json=as_json)
        return
    if target is not None:
        raise InputError(f"--target {target}: what a network holds is the same on all of them; add --why-layout")

    with steps_shown():
        found = inspect_model(model, options.parse_shapes(shape))
    if as_json:
        print_json(found.as_dict())
    else:
        show(found)
    if not found.supported:
        raise typer.Exit(NOT_SUPPORTED)


def _explain(model: Path, shape: list[str] | None, target: str, *, as_json: bool) -> None:
    from s2s.cli.output import print_json, steps_shown
    from s2s.options import CompileOptions
    from s2s.report.reasons import explain

    with steps_shown():
        found = explain(model, CompileOptions(target=target, shapes=options.parse_shapes(shape)))
    if as_json:
        print_json(found.as_dict())
    else:
        show_reasons(found)


def show_reasons(found: "Reasons") -> None:
    """Print layouts and schedules with what decided them, for people."""
    from s2s.cli.output import columns

    tensors = [(layout_of(each), each.nodes or each.name, "; ".join(each.reasons)) for each in found.tensors]
    print(f"tensors between kernels, for target {found.target}\n")
    print("\n".join(columns([("layout", "computed by", "why"), *tensors])))
    print("\nkernels: what a vector could run along, with its cost for a result; the cheapest is taken\n")
    for each in found.kernels:
        print(f"{each.kernel} ({each.nodes})\n    {each.schedule}\n    decided by {each.decided_by}")
        print("".join(f"        {text}\n" for text in each.candidates), end="")


def layout_of(tensor: "TensorLayout") -> str:
    """A shape; where channels come in blocks, as `1×4×56×56×16`."""
    shape = tensor.shape
    if tensor.block:
        shape = (shape[0], -(-shape[1] // tensor.block), *shape[2:], tensor.block)
    return "×".join(map(str, shape)) or "scalar"


def show(found: "Inspection") -> None:
    """Print what was found for people."""
    from s2s.analysis.numbers.sums import describe_sums
    from s2s.cli.output import number, print_fields
    from s2s.emit.info import Quantisation

    opsets = ", ".join(f"{domain} {version}" for domain, version in found.opsets.items())
    fields = {"model": found.model, "producer": found.producer or "unknown", "version": opsets}
    for kind, tensors in (("input", found.inputs), ("output", found.outputs)):
        for tensor in tensors:
            dims = "×".join(map(str, tensor.shape)) or "scalar"
            text = f"{tensor.type} {dims}, {number(tensor.bytes)} bytes"
            if tensor.scale is not None and tensor.zero_point is not None:
                text += f", {Quantisation(tensor.scale, tensor.zero_point).formula()}"
            fields[f"{kind} {tensor.name}"] = text
    fields["operators"] = ", ".join(f"{count} {name}" for name, count in found.operators.items())
    if found.supported:
        fields["weights"] = f"{number(found.parameters)} in {number(found.weight_bytes)} bytes"
        fields["work"] = f"{number(found.multiply_adds)} multiply-adds"
        if found.accumulators:
            fields["accumulators"] = describe_sums(found.accumulators)
        fields["activations"] = f"at most {number(found.activation_bytes)} bytes at a time, before fusion"
    print_fields(fields)
    for reason in found.unsupported:
        print(f"not supported: {reason}")
