"""`s2s inspect`: what is in a network, and whether s2s can compile it."""

import typer

from s2s.cli import options


def inspect_command(model: options.Model, shape: options.Shapes = None, as_json: options.Json = False) -> None:
    """Show a network: inputs, outputs, operators, weights, work. Exits with 3 when something is not supported.

    Example: s2s inspect kws.onnx --json
    """
    from s2s import api
    from s2s.cli.output import print_fields, print_json, steps_shown

    with steps_shown():
        summary = api.inspect(model, shapes=options.parse_shapes(shape))
    if as_json:
        print_json(summary.as_dict())
    else:
        print_fields(summary.as_dict())
    if summary.unsupported:
        raise typer.Exit(3)
