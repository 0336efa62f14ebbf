"""Print what a run on a board takes: its figures, and the instructions of each kernel."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from s2s.verify.board_check import BoardVerification


def show_figures(figures: Mapping[str, Any]) -> None:
    """Print what was measured on a board for people."""
    from s2s.cli.output import number, print_fields

    print()
    print_fields(
        {name.replace("_", " "): number(value) if type(value) is int else value for name, value in figures.items()}
    )


def show_layers(found: "BoardVerification") -> None:
    """Print the instructions of each kernel for people."""
    from s2s.cli.output import columns, number

    print()
    rows = found.summed_layers()
    total = sum(row.instructions for row in rows)
    repeated = any(row.calls != 1 for row in rows)
    titles = ("instructions", "share", *(["calls"] if repeated else []), "kernel", "nodes")
    table = [
        (
            f"{number(row.instructions):>14}",
            f"{row.instructions / total if total else 0:6.1%}",
            *([f"{row.calls:>5}"] if repeated else []),
            row.kernel,
            row.nodes,
        )
        for row in rows
    ]
    print(
        "\n".join(columns([titles, *table, (f"{number(total):>14}", "100.0%", *([""] if repeated else []), "all", "")]))
    )
