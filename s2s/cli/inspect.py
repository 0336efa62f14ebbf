"""`s2s inspect`: show the contents of a network, whether s2s can compile it, and the decisions with their reasons."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.options import Options, with_compile_options
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.decisions.decision import Alternative, Decision
    from s2s.inspection import Inspection
    from s2s.options import CompileOptions

NOT_SUPPORTED = 3
"""The exit code of an `UnsupportedError`."""


@command("inspect")
@options.model
@with_compile_options
@click.argument(
    "layer", required=False, metavar="[LAYER]", help="With --why: a node of the model, a kernel, or a subject."
)
@click.option("--why", is_flag=True, help="Compile, and show what was decided, why, and what the alternatives cost.")
@options.as_json
def inspect_command(model: Path, compiling: Options, layer: str | None, why: bool, as_json: bool) -> None:
    """Show a network: inputs, outputs, operators, weights, work. Exits with 3 when something is not supported.

    Example: s2s inspect kws.onnx --json

    With --why: what the compiler decides about it, all of it or what concerns one layer.

    Example: s2s inspect kws.onnx --why conv1 --target cortex-m4
    """
    from dataclasses import replace

    from s2s.cli.output import print_json, steps_shown
    from s2s.inspection import inspect_model
    from s2s.stages.check_options import check_inspected

    asked = compiling("host")
    if why:
        _explain(model, layer, replace(asked, explain=True), as_json=as_json)
        return
    check_inspected(asked, layer)

    with steps_shown():
        found = inspect_model(model, asked.shapes, bind=asked.bind, dims=asked.dims)
    if as_json:
        print_json(found.as_dict())
    else:
        show(found)
    if not found.supported:
        raise Exit(NOT_SUPPORTED)


def _explain(model: Path, layer: str | None, asked: "CompileOptions", *, as_json: bool) -> None:
    from s2s.artifact import compile_artifact
    from s2s.cli.output import print_json, steps_shown

    with steps_shown():
        decisions = compile_artifact(model, asked).decisions
    shown = decisions.entries if layer is None else decisions.about(layer)
    if layer is not None and not shown:
        raise InputError(_nothing_about(layer, decisions.entries))
    if as_json:
        print_json({"target": decisions.target, "decisions": [each.as_dict() for each in shown]})
    else:
        show_decisions(decisions.target, shown)


def _nothing_about(layer: str, decisions: "Sequence[Decision]") -> str:
    from s2s.targets.keys import did_you_mean

    nodes = [node for each in decisions for node in each.nodes.split(", ") if node]
    known = tuple(dict.fromkeys(nodes))
    listed = f"{did_you_mean(layer, known)}the nodes are {', '.join(known)}" if known else "leave it out to see all"
    return f"{layer}: no decision is about a node, kernel or subject of this name; {listed}"


def show_decisions(target: str, decisions: "Sequence[Decision]") -> None:
    """Print decisions with their alternatives, for people."""
    print(f"decided for target {target}")
    for kind in dict.fromkeys(each.kind for each in decisions):
        print(f"\n{kind}")
        for each in decisions:
            if each.kind == kind:
                _show_decision(each)


def _show_decision(each: "Decision") -> None:
    nodes = f" ({each.nodes})" if each.nodes else ""
    print(f"  {each.subject}  {each.about}{nodes}\n    {each.chosen}\n    by the {each.by}: {each.why}")
    for alternative in each.candidates:
        print(f"      {describe(alternative)}")


def describe(each: "Alternative") -> str:
    """Describe a candidate in words."""
    if each.refused is not None:
        return f"not {each.note}: {each.refused}"
    return each.note if each.cost is None else f"{each.note}: {each.cost.describe()}"


def show(found: "Inspection") -> None:
    """Print the result of an inspection for people."""
    from s2s.cli.output import print_fields

    print_fields(found.in_words())
    for reason in found.unsupported:
        print(f"not supported: {reason}")
