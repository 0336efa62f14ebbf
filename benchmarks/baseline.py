"""How much faster the default schedules are than one plain loop nest for each operator.

    python -m benchmarks.baseline [MODEL ...] [--cache DIR] [--rounds 5] [--at-least 3.0]

Compiles each model four times: as plain loops (`--schedule reference`) and with the default schedules, each for the
targets `c` and `host`; everything is built with -O3 and runs on one core. The plain loops of target `c` are what the
rest is held against; those of target `host` show what the flags of the C compiler do without schedules.

Prints microseconds of the fastest run (CPU time, in turns), the speed-up over the plain loops, the arena beside its
lower bound, and the largest difference from onnxruntime. Exits with 1 if the geometric mean of the speed-ups of the
default schedules on this machine is below what it must be, or if a result or an arena is worse than it may be.
"""

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engines import NAIVE, Variant, build, relative_difference
from benchmarks.models import CACHE, NETWORKS, READY_MADE, available
from benchmarks.timing import fastest, geometric_mean, pin
from s2s.errors import S2SError
from s2s.frontends.onnx import load_model
from s2s.verify.engines import run_engine

JUDGED = Variant("host")
VARIANTS = (NAIVE, Variant("host", "reference"), Variant("c"), JUDGED)
MAX_DIFFERENCE = 1e-4
"""Of a result, in units of the largest number in it."""

MAX_QUANTISED_DIFFERENCE = 0.1
"""The same where a network rounds to integers on its way: there the last bit of a float may decide a whole step."""

MAX_ARENA_RATIO = 1.05
"""Arena over the lower bound for the order of kernels that was chosen."""


@dataclass(frozen=True)
class Figures:
    """What was measured of one variant of a model."""

    seconds: float
    arena: int
    arena_lower_bound: int
    difference: float
    allowed: float
    """How large the difference may be."""

    @property
    def arena_ratio(self) -> float:
        """How far the memory plan is from the bound."""
        return self.arena / self.arena_lower_bound if self.arena_lower_bound else 1.0

    @property
    def is_plan_tight(self) -> bool:
        """Whether the plan is as close to the bound as it must be."""
        return self.arena <= MAX_ARENA_RATIO * self.arena_lower_bound


Row = Mapping[Variant, Figures]


def measure(path: Path, rounds: int) -> Row:
    """Build all variants of a model, compare their results, and time them in turns."""
    with ExitStack() as stack:
        built = {variant: build(path, variant) for variant in VARIANTS}
        for each in built.values():
            stack.callback(each.network.close)
        model = load_model(path)
        expected = run_engine("onnxruntime", model, built[NAIVE].inputs)
        differences = [relative_difference(expected, each.outputs()) for each in built.values()]
        seconds = fastest({str(variant): each.bound.call for variant, each in built.items()}, rounds)
    is_quantised = any(node.op_type == "QuantizeLinear" for node in model.proto.graph.node)
    allowed = MAX_QUANTISED_DIFFERENCE if is_quantised else MAX_DIFFERENCE
    return {
        variant: Figures(seconds[str(variant)], each.report.arena, each.report.arena_lower_bound, difference, allowed)
        for (variant, each), difference in zip(built.items(), differences, strict=True)
    }


def print_row(name: str, row: Row) -> None:
    """One line for each variant of a model."""
    naive = row[NAIVE].seconds
    for variant, each in row.items():
        print(
            f"{name:<25} {variant!s:<15}{each.seconds * 1e6:12.1f}{naive / each.seconds:9.2f}"
            f"{each.arena:11d}{each.arena_lower_bound:11d}{each.arena_ratio:7.3f}{each.difference:10.1e}",
            flush=True,
        )
        name = ""


def summarise(rows: Mapping[str, Row], at_least: float) -> bool:
    """Print the means and what is worse than it may be; whether all is well."""
    for variant in VARIANTS[1:]:
        mean = geometric_mean([row[NAIVE].seconds / row[variant].seconds for row in rows.values()])
        wanted = f" (at least {at_least} wanted)" if variant == JUDGED else ""
        print(f"geometric mean of the speed-ups, {variant}: {mean:.2f}{wanted}")
    complaints = [
        f"{name}, {variant}: {what}"
        for name, row in rows.items()
        for variant, each in row.items()
        for what, is_bad in (
            (f"differs by {each.difference:.1e}, more than {each.allowed}", each.difference > each.allowed),
            (f"arena {each.arena_ratio:.3f} × the bound, more than {MAX_ARENA_RATIO}", not each.is_plan_tight),
        )
        if is_bad
    ]
    for complaint in complaints:
        print(complaint)
    mean = geometric_mean([row[NAIVE].seconds / row[JUDGED].seconds for row in rows.values()])
    return not complaints and mean >= at_least


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", default=list(NETWORKS), help="names, or paths of ONNX files")
    parser.add_argument("--all", action="store_true", help="the ready-made models as well")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder that holds models that have been made")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each variant")
    parser.add_argument("--at-least", type=float, default=3.0, help="the geometric mean that must be reached")
    arguments = parser.parse_args()
    names = dict.fromkeys(arguments.models)
    if arguments.all:
        names |= dict.fromkeys(path.stem for path in sorted(READY_MADE.glob("*.onnx")))
    found, missing = available(list(names), arguments.cache)
    pin()
    print(f"{'model':<25} {'variant':<15}{'µs':>12}{'speed-up':>9}{'arena':>11}{'bound':>11}{'ratio':>7}{'error':>10}")
    rows: dict[str, Row] = {}
    for name, path in found.items():
        try:
            rows[name] = measure(path, arguments.rounds)
            print_row(name, rows[name])
        except S2SError as error:
            missing[name] = str(error)
    for name, reason in missing.items():
        print(f"{name}: skipped: {reason}")
    if not rows:
        raise SystemExit("nothing was measured")
    raise SystemExit(0 if summarise(rows, arguments.at_least) else 1)


if __name__ == "__main__":
    main()
