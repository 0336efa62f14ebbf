"""Which rewrite patterns and passes of the compiler fire in random networks whose numbers are compared, and how often.

    python -m benchmarks.fired [--models 100] [--from 0] [--seed 14] [--kinds onnx sizes …] [--least 20]
                               [--nodes 4] [--variants 2] [--passes] [--seconds …] [--counts fired.json]

Draws networks as `s2s fuzz` does, compiles each in two variants, builds and runs the C, and compares the outputs with
the other engine. A pattern counts once for each network and variant in which it has rewritten something and all outputs
were right; so does, with `--passes`, a pass that has changed the module. Prints them by their counts, the least first.
Exits with 1 if a pattern fired in fewer than `--least` of them, or if a network is not compiled right.

`--counts` names a file that takes the counts after each batch; what it holds already is added to.
"""

import argparse
import importlib
import json
import pkgutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

import s2s.passes
from s2s.errors import UnsupportedError
from s2s.fuzz.campaign import Plan, draw, variants_of
from s2s.fuzz.failures import failures_of
from s2s.registry import available_passes
from s2s.support.child import run_in_child

SECONDS = 120.0
"""The time of the processor that one network may take."""
BATCH = 16
"""Networks that a child compiles."""
KINDS: dict[str, dict[str, Any]] = {
    "onnx": {},
    "sizes": {"sizes": True},
    "streams": {"streams": True},
    "tflite": {"format": "tflite"},
    "torch": {"format": "torch"},
}
"""The kinds of networks, as plans of `s2s fuzz` have them."""


@dataclass
class Fired:
    """What came of some networks."""

    compared: int = 0
    """Networks and variants whose outputs were compared, and right."""
    refused: int = 0
    patterns: Counter[str] = field(default_factory=Counter[str])
    failures: list[str] = field(default_factory=list[str])

    def add(self, other: "Fired") -> None:
        """Add the counts of other networks."""
        self.compared += other.compared
        self.refused += other.refused
        self.patterns.update(other.patterns)
        self.failures += other.failures

    @staticmethod
    def read(path: Path | None) -> "Fired":
        """Return the counts of earlier runs in a file, none if there is none."""
        if path is None or not path.exists():
            return Fired()
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        counts = Counter[str](stored["patterns"])
        return Fired(stored["compared"], stored["refused"], counts, stored["failures"])

    def write(self, path: Path | None) -> None:
        """Write the counts into a file."""
        if path is not None:
            path.write_text(json.dumps(vars(self), indent=1), encoding="utf-8")


def patterns() -> Iterator[type[RewritePattern]]:
    """All patterns of the passes that are not a base of others, by name."""
    for module in pkgutil.walk_packages(s2s.passes.__path__, "s2s.passes."):
        importlib.import_module(module.name)
    waiting, rewriting = [RewritePattern], dict[str, type[RewritePattern]]()
    while waiting:
        derived = waiting.pop().__subclasses__()
        waiting += derived
        rewriting |= {name_of(pattern): pattern for pattern in derived if pattern.__module__.startswith("s2s.passes.")}
    for _, pattern in sorted(rewriting.items()):
        if "match_and_rewrite" in vars(pattern):
            yield pattern


def name_of(pattern: type[RewritePattern]) -> str:
    """The name of a pattern with the file that it is in: `graph.fold_constants.FoldShape`."""
    return f"{pattern.__module__.removeprefix('s2s.passes.')}.{pattern.__name__}"


def watch(rewriting: set[str], *, passes: bool) -> None:
    """Have patterns put their names into `rewriting` when they rewrite something, and `passes` when they change a
    module, which takes as long as the compilation."""
    for pattern in patterns():
        pattern.match_and_rewrite = _watched(pattern.match_and_rewrite, name_of(pattern), rewriting)
    for name, load in available_passes().items() if passes else ():
        kind: Any = load()
        kind.apply = _watched_pass(kind.apply, f"pass {name}", rewriting)


def _watched_pass(method: Callable[..., None], name: str, rewriting: set[str]) -> Callable[..., None]:
    @wraps(method)
    def apply(self: object, ctx: object, op: object) -> None:
        before = str(op)
        method(self, ctx, op)
        if str(op) != before:
            rewriting.add(name)

    return apply


def _watched(method: Callable[..., None], name: str, rewriting: set[str]) -> Callable[..., None]:
    @wraps(method)
    def match_and_rewrite(self: RewritePattern, op: Any, rewriter: PatternRewriter, /) -> None:
        method(self, op, rewriter)
        if rewriter.has_done_action:
            rewriting.add(name)

    return match_and_rewrite


def fired(plan: Plan, numbers: Sequence[int], rewriting: set[str]) -> Fired:
    """Draw, compile, run and compare some networks; `rewriting` is what `watch` fills."""
    total = Fired()
    for number in numbers:
        drawn = draw(plan, number)
        try:
            drawn.model.check_import()
        except UnsupportedError:
            total.refused += 1
            continue
        for variant in variants_of(plan, number):
            rewriting.clear()
            failures = failures_of(drawn.model, drawn.inputs, drawn.expected, variant)
            if not failures:
                total.compared += 1
                total.patterns.update(rewriting)
            elif failures[0].kind == "refused":
                total.refused += 1
            else:
                total.failures.append(f"{plan.format} {number}: {failures[0].describe()}")
    return total


def run(plans: Sequence[Plan], models: int, first: int, rewriting: set[str]) -> Iterator[Fired]:
    """Run networks in children, some of each plan at a time."""
    starts = range(first, first + models, BATCH)
    for start, plan in ((start, plan) for start in starts for plan in plans):
        numbers = range(start, min(start + BATCH, first + models))
        ended = run_in_child(
            partial(fired, plan, numbers, rewriting), 20 * SECONDS * BATCH, cpu_seconds=SECONDS * BATCH
        )
        yield ended.result or Fired(failures=[f"{plan.format} {start} to {numbers[-1]}: {ended.reason}"])


def main() -> int:
    """Run, count and print; 1 if a pattern fired too seldom or a network is not compiled right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--models", type=int, default=100, help="networks of each kind")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first network")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--nodes", type=int, default=4, help="the most nodes of a network, or idioms")
    parser.add_argument("--least", type=int, default=20, help="the least count of a pattern")
    parser.add_argument("--variants", type=int, default=2, help="in how many ways each network is compiled")
    parser.add_argument("--passes", action="store_true", help="count passes that change a module, too")
    parser.add_argument("--counts", type=Path, help="file of counts that is added to after each batch")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="draw no more after so many seconds")
    options = parser.parse_args()
    rewriting, total, began = set[str](), Fired.read(options.counts), time.monotonic()
    watch(rewriting, passes=options.passes)
    drawn = {"seed": options.seed, "nodes": options.nodes, "variants": options.variants}
    plans = [Plan(**drawn, **KINDS[kind]) for kind in options.kinds]
    for batch in run(plans, options.models, options.first, rewriting):
        total.add(batch)
        total.write(options.counts)
        if time.monotonic() - began > options.seconds:
            break
    kinds = {"patterns": [*map(name_of, patterns())]}
    if options.passes:
        kinds = {"passes": sorted(f"pass {name}" for name in available_passes()), **kinds}
    for listed in kinds.values():
        for name in sorted(listed, key=lambda name: (total.patterns[name], name)):
            print(f"{total.patterns[name]:>7}  {name}")
    for kind, listed in kinds.items():
        seldom = [name for name in listed if total.patterns[name] < options.least]
        never = sum(not total.patterns[name] for name in listed)
        print(
            f"{len(listed)} {kind}: {len(listed) - len(seldom)} fired in at least {options.least} networks, "
            f"{len(seldom) - never} in fewer, {never} in none"
        )
    print(f"{total.compared} networks compared; {total.refused} refused, {len(total.failures)} failures")
    for failure in total.failures:
        print(failure)
    return 1 if any(total.patterns[name] < options.least for name in kinds["patterns"]) or total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
