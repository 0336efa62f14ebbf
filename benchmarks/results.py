"""The results of `peers.py`, read: times by engine, ratios, and what of them can be believed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.goals import GOALS, Against, Outcome, outcome

OURS = "s2s"
ORT = "ort"
ENGINES = {"ort": "onnxruntime", "openvino": "OpenVINO", "litert": "LiteRT", "s2s": "s2s"}
"""Names in the results, and in prose."""
TOLERANCE, INT8_TOLERANCE = 1e-3, 0.1
"""The largest difference from the reference, in units of the largest number of an output; in int8 the last bit of a
float may decide a whole step."""


@dataclass(frozen=True)
class Times:
    """One model on all engines that give the right numbers, in microseconds."""

    name: str
    operations: int
    micros: Mapping[str, float]
    wrong: tuple[str, ...]
    """Engines whose numbers differ from the reference."""

    def ratio(self, against: Against) -> float | None:
        """Our time in units of another engine's."""
        others = {engine: time for engine, time in self.micros.items() if engine != OURS}
        if against == "onnxruntime":
            others = {engine: time for engine, time in others.items() if engine == ORT}
        if OURS not in self.micros or not others:
            return None
        return self.micros[OURS] / min(others.values())

    @property
    def gigaops(self) -> float | None:
        """Billions of operations a second, ours."""
        return self.operations / self.micros[OURS] * 1e-3 if OURS in self.micros else None


@dataclass(frozen=True)
class Sizes:
    """What s2s says of a network it has built for this machine, in bytes."""

    code: int
    ram: int
    flash: int


@dataclass(frozen=True)
class Results:
    """Everything that was measured."""

    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    models: tuple[Times, ...]
    sizes: Mapping[str, Sizes]

    @property
    def engines(self) -> list[str]:
        """Engines that ran something, ours last."""
        ran = {engine for model in self.models for engine in (*model.micros, *model.wrong)}
        return [engine for engine in ENGINES if engine in ran]

    def outcomes(self) -> list[Outcome]:
        """Each goal with what was measured of it."""
        found: list[Outcome] = []
        for goal in GOALS:
            ratios = {model.name: model.ratio(goal.against) for model in self.models}
            found.append(outcome(goal, {name: ratio for name, ratio in ratios.items() if ratio is not None}))
        return found


def read_results(raw: Path, sizes: Path) -> Results:
    """What was measured so far."""
    found = _json(raw)
    return Results(
        machine=found.get("machine", {}),
        versions=found.get("versions", {}),
        models=tuple(_times(name, record) for name, record in found.get("models", {}).items()),
        sizes={name: Sizes(**each) for name, each in _json(sizes).items()},
    )


def measured_models(raw: Path) -> set[str]:
    """Models whose times are there."""
    models = _json(raw).get("models", {})
    return {name for name, record in models.items() if any("min_us" in peer for peer in record["peers"].values())}


def _times(name: str, record: Mapping[str, Any]) -> Times:
    peers: dict[str, Any] = {engine: peer for engine, peer in record["peers"].items() if "min_us" in peer}
    limit = INT8_TOLERANCE if "int8" in name else TOLERANCE
    wrong = tuple(engine for engine, peer in peers.items() if not peer["err"] or peer["err"]["max_rel"] > limit)
    micros = {engine: float(peer["min_us"]) for engine, peer in peers.items() if engine not in wrong}
    return Times(name, record["flops"], micros, wrong)


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
