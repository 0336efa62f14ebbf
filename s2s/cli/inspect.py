"""`s2s inspect`: what is in a network, and whether s2s can compile it."""

from typing import TYPE_CHECKING

import typer

from s2s.cli import options

if TYPE_CHECKING:
    from s2s.inspection import Inspection

NOT_SUPPORTED = 3
"""The exit code of an `UnsupportedError`."""


def inspect_command(model: options.Model, shape: options.Shapes = None, as_json: options.Json = False) -> None:
    """Show a network: inputs, outputs, operators, weights, work. Exits with 3 when something is not supported.

    Example: s2s inspect kws.onnx --json
    """
    from s2s.cli.output import print_json, steps_shown
    from s2s.inspection import inspect_model

    with steps_shown():
        found = inspect_model(model, options.parse_shapes(shape))
    if as_json:
        print_json(found.as_dict())
    else:
        show(found)
    if not found.supported:
        raise typer.Exit(NOT_SUPPORTED)


def show(found: "Inspection") -> None:
    """Print what was found for people."""
    from s2s.analysis.sums import describe_sums
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
