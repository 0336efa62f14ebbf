"""What a run has found, as fields and a table of operators."""

from collections.abc import Sequence
from typing import Any

from s2s.fuzz.campaign import Plan, Tally, kinds_of


def _targets(plan: Plan) -> list[str]:
    return list(dict.fromkeys(target for kind in kinds_of(plan) for target in kind.chosen_targets))


def as_dict(plan: Plan, tally: Tally) -> dict[str, Any]:
    """The counts for JSON."""
    return {
        "format": plan.format,
        "seed": plan.seed,
        "first": plan.first,
        "most nodes": plan.nodes,
        "targets": _targets(plan),
        "variants": plan.variants,
        "models": tally.models,
        "nodes": tally.nodes,
        "elements": tally.compared,
        "undetermined": tally.undetermined,
        "refused": dict(tally.refused.most_common()),
        "operators": {name: tally.operators[name] for name in plan.table},
        "kinds": dict(tally.kinds.most_common()),
        "failures": [
            {"model": each.drawn.seed, "kind": each.failure.kind, "detail": each.failure.describe()}
            for each in tally.failures
        ],
    }


def fields(plan: Plan, tally: Tally) -> dict[str, str]:
    """The counts for people."""
    table = plan.table
    drawn = sum(1 for name in table if tally.operators[name])
    return {
        "seed": str(plan.seed),
        "models": f"{tally.models:,} from number {plan.first:,}, of {tally.nodes:,} nodes; "
        f"{sum(tally.refused.values()):,} refused",
        "compiled for": f"{', '.join(_targets(plan))}; each model in {plan.variants} variants",
        "operators": f"{drawn} of {len(table)} entries of the table",
        "kinds": ", ".join(f"{name} {count:,}" for name, count in tally.kinds.most_common()),
        "elements": f"{tally.compared:,}; {tally.undetermined:,} of them hang on a rounding and were not compared",
        "failures": f"{len(tally.failures):,}",
    }


def operator_rows(plan: Plan, tally: Tally) -> Sequence[tuple[str, str]]:
    """How often each operator was drawn."""
    return [(name, str(tally.operators[name])) for name in plan.table]
