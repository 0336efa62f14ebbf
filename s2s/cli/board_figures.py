"""Print what a run on a board takes: its figures, and the instructions and cycles of each kernel."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from s2s.verify.board_check import BoardVerification


def show_figures(figures: Mapping[str, Any]) -> None:
    """Print what was measured on a board for people."""
    from s2s.cli.output import print_fields

    print()
    print_fields({name.replace("_", " "): _shown(value) for name, value in figures.items()})


def _shown(value: Any) -> Any:
    """Separate the thousands of a number, or of the two of a range."""
    from s2s.cli.output import number

    match value:
        case [low, high]:
            return f"{low:,} to {high:,}"
        case int() if type(value) is int:
            return number(value)
        case _:
            return value


def show_cycles(found: "BoardVerification") -> None:
    """Print cycles, time and energy of a run in a line, or why there are none."""
    cycles = found.cycles
    if cycles is None:
        print(found.cycle_model)
        return
    figures = found.time.figures(cycles)
    line = f"{cycles.count:,} cycles ({_shown(figures['cycles_range'])}) by {found.cycle_model}"
    if "milliseconds" in figures:
        line += f"; {figures['milliseconds']:g} ms at {found.time.megahertz:g} MHz"
    if "microjoules" in figures:
        line += f"; {_shown(figures['microjoules'])} µJ"
    print(line)


def show_layers(found: "BoardVerification") -> None:
    """Print the instructions, and the cycles by the model of the core, of each kernel for people.

    The share is of the cycles, of the instructions where there is no model.
    """
    from s2s.cli.output import columns, number

    print()
    rows = found.summed_layers()
    total = sum(row.instructions for row in rows)
    spent = sum(row.cycles or 0 for row in rows)
    repeated = any(row.calls != 1 for row in rows)
    cycles = any(row.cycles is not None for row in rows)
    titles = (
        f"{'instructions':>14}",
        *([f"{'cycles':>12}"] if cycles else []),
        f"{'share':>6}",
        *(["calls"] if repeated else []),
        "kernel",
        "nodes",
    )
    table = [
        (
            f"{number(row.instructions):>14}",
            *([f"{number(row.cycles or 0):>12}"] if cycles else []),
            f"{(row.cycles or 0) / spent if spent else row.instructions / total if total else 0:6.1%}",
            *([f"{row.calls:>5}"] if repeated else []),
            row.kernel,
            row.nodes,
        )
        for row in rows
    ]
    last = (
        f"{number(total):>14}",
        *([f"{number(spent):>12}"] if cycles else []),
        "100.0%",
        *([""] if repeated else []),
        "all",
        "",
    )
    print("\n".join(columns([titles, *table, last])))
