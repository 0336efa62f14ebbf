"""Print what a run on a board takes: its figures, and the instructions and cycles of each kernel."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from s2s.boards.cycles.cycles import Cycles
    from s2s.verify.board_check import BoardVerification
    from s2s.verify.over_serial import SerialVerification


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
    else:
        print(_cycles_in_words(found, cycles))
    if found.run.worst_case is not None:
        print(f"worst case {found.run.worst_case.describe()}")


def _cycles_in_words(found: "BoardVerification", cycles: "Cycles") -> str:
    """Return cycles, time and energy of a run."""
    figures = found.time.figures(cycles)
    line = f"{cycles.count:,} cycles ({_shown(figures['cycles_range'])}) by {found.cycle_model}"
    if "milliseconds" in figures:
        line += f"; {figures['milliseconds']:g} ms at {found.time.megahertz:g} MHz"
    if "microjoules" in figures:
        line += f"; {_shown(figures['microjoules'])} µJ"
    return line


def show_layers(found: "BoardVerification") -> None:
    """Print the instructions, and the cycles by the model of the core, of each kernel for people.

    The share, and the figure for each operation, is of the cycles, of the instructions where there is no model.
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
        f"{'cycles/op' if cycles else 'each op':>9}",
        *(["calls"] if repeated else []),
        "kernel",
        "nodes",
    )
    table = [
        (
            f"{number(row.instructions):>14}",
            *([f"{number(row.cycles or 0):>12}"] if cycles else []),
            f"{(row.cycles or 0) / spent if spent else row.instructions / total if total else 0:6.1%}",
            _per_operation(row.cycles if cycles else row.instructions, row.operations),
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
        _per_operation(spent if cycles else total, sum(row.operations for row in rows)),
        *([""] if repeated else []),
        "all",
        "",
    )
    print("\n".join(columns([titles, *table, last])))


def _per_operation(spent: int | None, operations: int) -> str:
    return f"{(spent or 0) / operations:>9.2f}" if operations else f"{'–':>9}"


def show_times(run: "SerialVerification") -> None:
    """Print the ticks of each kernel on a board at a serial port for people, and the time where the clock is known."""
    from s2s.cli.output import columns, number

    print()
    total = sum(layer.ticks for layer in run.layers)
    hertz = run.layer_ticks_per_second

    def row(ticks: int, operations: int) -> tuple[str, ...]:
        return (
            f"{number(ticks):>14}",
            *([f"{1e6 * ticks / hertz:>12,.1f}"] if hertz else []),
            f"{ticks / total if total else 0:6.1%}",
            f"{ticks / operations:>8.2f}" if operations else f"{'–':>8}",
        )

    titles = (
        f"{'ticks':>14}",
        *([f"{'µs':>12}"] if hertz else []),
        f"{'share':>6}",
        "ticks/op",
        "calls",
        "kernel",
        "nodes",
    )
    table = [
        (*row(layer.ticks, layer.operations), f"{layer.count:>5}", layer.call.kernel, layer.call.nodes)
        for layer in run.layers
    ]
    last = (*row(total, sum(layer.operations for layer in run.layers)), "", "all", "")
    print("\n".join(columns([titles, *table, last])))
