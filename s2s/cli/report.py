"""`s2s report`: what a network takes on a device, before it is flashed."""

from pathlib import Path
from typing import Annotated, Any

import typer

from s2s.cli import options
from s2s.cli.compile_options import Options, with_compile_options

WORDS = {
    "arena_lower_bound": "arena, at least",
    "arena_ratio": "arena / least",
    "arena_lower_bound_apart": "arena, at least without overlaps",
}
"""What figures are called for people, where their names in JSON do not say it."""


@with_compile_options
def report_command(
    model: Annotated[Path, typer.Argument(metavar="MODEL|TREE", help="A network, or a folder that s2s compile wrote.")],
    compiling: Options,
    as_json: options.Json = False,
) -> None:
    """Show what a network takes: RAM, flash and stack, measured with the C compiler of its target.

    Example: s2s report kws.onnx --target cortex-m4
    """
    from s2s.cli.output import number, print_fields, print_json, steps_shown

    with steps_shown():
        fields = _of_tree(model) if model.is_dir() else _of_model(model, compiling)
    if as_json:
        print_json(fields)
        return
    largest: dict[str, int] = fields.pop("code_of", {})
    overlaps: str = fields.pop("overlaps", "")
    if "measured_by" not in fields:
        fields["flash, code and stack"] = not_measured(fields["target"])
    print_fields(
        {
            WORDS.get(key, key.replace("_", " ")): number(value) if type(value) is int else value
            for key, value in fields.items()
        }
    )
    if overlaps:
        print("\nresults that lie over what their kernel reads")
        for each in overlaps.split("; "):
            print(f"    {each}")
    if largest:
        print(f"\nmachine code of the {len(largest)} largest functions")
        for name, size in largest.items():
            print(f"{number(size):>10}  {name}")


def not_measured(target: str) -> str:
    """Why figures of the C compiler are missing, and how to get them."""
    from s2s.targets import get_target

    found = get_target(target)
    return f"not measured: {found.cc} is not installed; on Debian: apt-get install {' '.join(found.packages)}"


def _of_model(model: Path, compiling: Options) -> dict[str, Any]:
    from s2s.artifact import compile_artifact

    return compile_artifact(model, compiling("host")).report(measure=True).as_dict()


def _of_tree(tree: Path) -> dict[str, Any]:
    """The figures that the record of a tree states."""
    from s2s.analysis.numbers.sums import LayerSums, describe_sums
    from s2s.emit.info import Overlapping, RowTiled
    from s2s.stages.graph import describe_row_tiles
    from s2s.stages.memory import describe_overlaps
    from s2s.verify.build import tree_record

    record = tree_record(tree)
    measured: dict[str, Any] = record["measured"] or {}
    arena, ports = record["arena"], [*record["inputs"], *record["outputs"]]
    fields = {
        "name": record["name"],
        "target": record["target"]["name"],
        "executor": record["executor"],
        "kernels": len(record["kernels"]),
        "arena": arena["size"],
        "arena_lower_bound": arena["lower_bound"],
        "ram": arena["size"] + sum(port["size"] for port in ports if port["offset"] is None),
        "inputs": sum(port["size"] for port in record["inputs"]),
        "outputs": sum(port["size"] for port in record["outputs"]),
        "weights": record["weights"]["size"],
        "measured_by": measured.get("by"),
        "flash": measured["code"] + measured["constants"] if measured else None,
        "code": measured.get("code"),
        "code_of": measured.get("functions", {}),
        "static_ram": measured.get("static_ram"),
        "stack": measured.get("stack"),
        "stack_note": measured.get("stack_note"),
        "arena_lower_bound_apart": arena["lower_bound_apart"],
        "overlaps": describe_overlaps([Overlapping(**each) for each in arena["overlaps"]]),
        "extra_operations": arena["extra_operations"],
        "row_tiles": describe_row_tiles([RowTiled(**each) for each in arena.get("row_tiles", ())]),
        "accumulators": describe_sums([LayerSums(**each) for each in record.get("accumulators", ())]),
    }
    return {key: value for key, value in fields.items() if value not in (None, "", {})}
