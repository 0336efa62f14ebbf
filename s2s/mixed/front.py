"""The plans that none beats in flash and loss at once, and the one of them that a user's bounds ask for."""

import copy
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx

from s2s.errors import InputError
from s2s.mixed.prices import Builder, LayerPrice, Price, Prices, predicted
from s2s.mixed.search import Bounds, Losses, fastest, least_loss, smallest
from s2s.quantization.accuracy import stacked
from s2s.quantization.metrics import Metric
from s2s.quantization.onnx_work import OnnxWork
from s2s.quantization.widths import WIDTHS, Mixer, Plan, Width
from s2s.support import progress
from s2s.support.frozen import frozen

POINTS = 8
"""Bounds of flash that are searched between the smallest plan and all layers in 8 bits."""
TRIES = 3
"""Plans that are built until one is within the bounds as built."""


class Point(NamedTuple):
    """A plan and what it costs."""

    plan: Plan
    price: Price
    """Predicted; as built for the point that is picked."""
    sqnr: float
    """Signal to noise ratio of the output on the samples, in decibel."""
    metric: float | None
    """The metric on samples of known classes."""

    @property
    def narrow(self) -> list[str]:
        """The layers with weights of 4 bits."""
        return [layer for layer, width in self.plan.items() if width == "int4"]

    def in_words(self) -> str:
        """The plan for a table."""
        wide = list(self.plan.values()).count("int16")
        more = f", 16 in {wide}" if wide else ""
        return f"4 bits in {len(self.narrow)}{more} of {len(self.plan)} layers"


@frozen
class Picked:
    """The chosen plan, and what the others would be."""

    model: onnx.ModelProto
    point: Point
    """With the price of the plan as it was built."""
    predicted: Price
    front: Sequence[Point]
    metric: str
    unit: str
    prices: Mapping[Width, Prices]
    losses: Losses

    def describe(self) -> Iterator[str]:
        """Yield lines about what each layer gives up, and the cost of the network as it was built."""
        chosen = predicted(self.point.plan, self.prices)
        for layer, width in self.point.plan.items():
            if width == "int16":
                before = predicted({**self.point.plan, layer: "int8"}, self.prices)
                flash, more = chosen.flash - before.flash, chosen.cycles - before.cycles
                yield f"{layer}: 16 bits of its input take {flash:+,} bytes of flash and {more:+,} {self.unit}"
        for layer in self.point.narrow:
            wide = predicted({**self.point.plan, layer: "int8"}, self.prices)
            saved, more = wide.flash - chosen.flash, chosen.cycles - wide.cycles
            noise = 10 * math.log10(1 + self.losses[layer, "int4"] / _noise(self.front[-1].sqnr))
            yield f"{layer}: 4 bits save {saved:,} bytes for {more:+,} {self.unit} and {noise:.1f} dB of the output"
        built, foreseen = self.point.price, self.predicted
        yield f"flash: {built.flash:,} bytes built, {foreseen.flash:,} predicted"
        yield f"RAM: {built.ram:,} bytes built, {foreseen.ram:,} predicted"
        yield f"{self.unit}: {built.cycles:,} built, {foreseen.cycles:,} predicted"

    def as_dict(self) -> dict[str, Any]:
        """Return the plans for JSON."""
        return {
            "chosen": _as_dict(self.point),
            "predicted": self.predicted._asdict(),
            "front": [_as_dict(point) for point in self.front],
            "unit": self.unit,
        }


class Front:
    """Prices and losses of a network, and the plans that they make good."""

    def __init__(self, work: OnnxWork, builder: Builder) -> None:
        self._work, self._builder = work, builder
        self._mixer = Mixer(work.best.real, work.best.quantized, work.format)
        if not self._mixer.layers:
            raise InputError("--flash, --time: no layer has weights of 8 bits to narrow; leave the bounds out")
        self._metric = work.settings.metric or Metric("accuracy", lambda scores, labels: 0.0)
        self._judged: dict[tuple[Width, ...], tuple[float, float | None]] = {}
        self.prices: dict[Width, Prices] = {}
        for width in WIDTHS:
            with progress.within(f"all layers in {width}"):
                self.prices[width] = builder.built(self._model(self._all(width)), self._mixer.layers)
        self.losses: dict[tuple[str, Width], float] = {}
        self._base = _noise(work.format.output_noise(work.real, self._model(self._all("int8"))))
        for number, layer in enumerate(self._mixer.layers, 1):
            progress.step(f"measuring layer {number} of {len(self._mixer.layers)}")
            added = self._loss(layer.name, "int4")
            self.losses |= {(layer.name, "int8"): 0.0, (layer.name, "int4"): max(added, self._base * 1e-3, 1e-12)}

    def pick(self, bounds: Bounds, least_metric: float | None) -> Picked:
        """Return the plan within the bounds with the least loss; the smallest one that reaches the metric where
        nothing else is bounded. Raises `InputError` with the nearest plan where there is none."""
        if least_metric is not None and (self._point(self._all("int8")).metric or 0.0) < least_metric:
            return self._with_wide_inputs()._picked(bounds, least_metric)
        return self._picked(bounds, least_metric)

    def _picked(self, bounds: Bounds, least_metric: float | None) -> Picked:
        front = self.points(bounds._replace(flash=None))
        limits = bounds
        for _ in range(TRIES):
            point = self._chosen(front, limits, bounds, least_metric)
            built = self.built(point.plan)
            excess = self._excess(built, bounds)
            if not any(excess.values()):
                measured = point._replace(price=built)
                unit, name = self._builder.unit, self._metric.name
                return Picked(
                    self._model(point.plan), measured, point.price, front, name, unit, self.prices, self.losses
                )
            limits = Bounds(
                *(bound if bound is None else bound - excess[name] for name, bound in limits._asdict().items())
            )
        raise InputError(f"{_first(bounds)}: plans near the bound take more when built; allow 2 % more")

    def built(self, plan: Plan) -> Price:
        """Compile, build and run the network of a plan."""
        with progress.within("the chosen plan"):
            return self._builder.built(self._model(plan), self._mixer.layers).total

    def points(self, bounds: Bounds) -> list[Point]:
        """Return the front within bounds of RAM and time, the smallest plan first."""
        least = smallest(self.prices, bounds)
        if least is None:
            return []
        low, high = (predicted(plan, self.prices).flash for plan in (least, self._all(list(self.prices)[-1])))
        high = max(high, predicted(self._all("int8"), self.prices).flash)
        points: dict[tuple[Width, ...], Point] = {}
        for flash in np.linspace(low, max(low, high), POINTS):
            plan = least_loss(self.prices, self.losses, bounds._replace(flash=math.ceil(flash)))
            if plan is not None:
                points.setdefault(tuple(plan.values()), self._point(plan))
        ordered = sorted(points.values(), key=lambda point: point.price.flash)
        return [point for place, point in enumerate(ordered) if all(point.sqnr > one.sqnr for one in ordered[:place])]

    def _chosen(self, front: Sequence[Point], limits: Bounds, stated: Bounds, least_metric: float | None) -> Point:
        bounded = any(limit is not None for limit in limits)
        plan = least_loss(self.prices, self.losses, limits)
        if plan is None:
            raise self._infeasible(stated)
        if least_metric is None:
            return self._point(plan)
        reaching = [point for point in front if point.metric is not None and point.metric >= least_metric]
        if not bounded and reaching:
            return reaching[0]
        point = self._point(plan)
        if point.metric is not None and point.metric >= least_metric:
            return point
        best = max(front, key=lambda point: point.metric or 0.0)
        near = f"within the bounds it is {point.metric:.4g}" if bounded else f"the best plan has {best.metric:.4g}"
        way = reaching[0] if reaching else best
        raise InputError(
            f"--min-accuracy {least_metric}: {near} ({self._metric.name}); {self._described(way)} reaches "
            f"{way.metric:.4g}; allow that"
        )

    def _infeasible(self, bounds: Bounds) -> InputError:
        """The error for bounds that no plan keeps: the bound that stops it, and the nearest plan."""
        least_ram = min(prices.total.ram for prices in self.prices.values())
        if bounds.ram is not None and least_ram > bounds.ram:
            way = f"allow {least_ram}, or compile with --ram-budget"
            return InputError(f"--ram {bounds.ram}: the network takes {least_ram} bytes in any width; {way}")
        plan = smallest(self.prices, bounds._replace(flash=None))
        if plan is None:
            quick = fastest(self.prices, bounds._replace(flash=None, cycles=None))
            assert quick is not None
            point = self._point(quick)
            unit = self._builder.unit
            return InputError(
                f"--time {bounds.cycles}: the fastest plan takes {point.price.cycles} {unit} "
                f"({self._described(point)}); allow {point.price.cycles}"
            )
        point = self._point(plan)
        within = "" if bounds.cycles is None else f" within {bounds.cycles} {self._builder.unit}"
        return InputError(
            f"--flash {bounds.flash}: the smallest plan{within} takes {point.price.flash} bytes "
            f"({self._described(point)}); allow {point.price.flash}"
        )

    def _described(self, point: Point) -> str:
        """A plan in words."""
        narrow = point.narrow
        layers = f"4 bits in {', '.join(narrow)}" if narrow else "8 bits everywhere"
        price = f"{point.price.flash} bytes of flash, {point.price.cycles} {self._builder.unit}"
        right = "" if point.metric is None else f", {self._metric.name} {point.metric:.4g}"
        return f"{layers}: {price}{right}, {point.sqnr:.1f} dB"

    def _excess(self, built: Price, bounds: Bounds) -> dict[str, int]:
        """By how much a plan exceeds its bounds as built."""
        return {
            name: 0 if bound is None else max(0, getattr(built, name) - bound)
            for name, bound in bounds._asdict().items()
        }

    def _all(self, width: Width) -> Plan:
        return {layer.name: width for layer in self._mixer.layers}

    def _model(self, plan: Plan) -> onnx.ModelProto:
        return self._mixer.model(plan)

    def _point(self, plan: Plan) -> Point:
        key = tuple(plan.values())
        if key not in self._judged:
            model, classified = self._model(plan), self._work.classified
            sqnr = self._work.format.output_noise(self._work.real, model)
            scores = None if classified is None else stacked(self._work.scores(model, classified))
            right = None
            if classified is not None and classified.labels is not None and scores is not None:
                right = self._metric.of(scores, classified.labels)
            self._judged[key] = sqnr, right
        return Point(plan, predicted(plan, self.prices), *self._judged[key])

    def _loss(self, layer: str, width: Width) -> float:
        """The noise that a width of a layer adds beside all others in 8 bits, as a part of the output's signal."""
        model = self._model({**self._all("int8"), layer: width})
        return _noise(self._work.format.output_noise(self._work.real, model)) - self._base

    def _with_wide_inputs(self) -> "Front":
        """The same with prices of inputs of 16 bits, which a network gets where 8 bits are not good enough: each in a
        build of its own, with the conversions around it."""
        plain, layers, wider = self.prices["int8"], dict[str, LayerPrice](), copy.copy(self)
        users = Counter(kernel for layer in plain.layers.values() for kernel in layer.kernels)
        ram, wider.losses = plain.total.ram, dict(self.losses)
        for layer in self._mixer.layers:
            with progress.within(f"{layer.name} with an input of 16 bits"):
                plan: Plan = {**self._all("int8"), layer.name: "int16"}
                built = self._builder.built(self._model(plan), self._mixer.layers).total
            base = plain.layers[layer.name]
            dropped = sum(plain.code[kernel] for kernel in base.kernels if users[kernel] == 1)
            constants = base.constants + built.flash - plain.total.flash + dropped
            layers[layer.name] = LayerPrice(base.cycles + built.cycles - plain.total.cycles, constants, frozenset())
            wider.losses[layer.name, "int16"] = self._loss(layer.name, "int16")
            ram = max(ram, built.ram)
        wider.prices = {**self.prices, "int16": Prices(plain.total._replace(ram=ram), {}, layers)}
        return wider


def _as_dict(point: Point) -> dict[str, Any]:
    return {"widths": dict(point.plan), **point.price._asdict(), "sqnr": point.sqnr, "metric": point.metric}


def _noise(decibel: float) -> float:
    """The noise as a part of the signal."""
    return 10 ** (-decibel / 10)


def _first(bounds: Bounds) -> str:
    """The option of the first bound that is given."""
    options = {"flash": "--flash", "ram": "--ram", "cycles": "--time"}
    return next(
        (f"{options[name]} {bound}" for name, bound in bounds._asdict().items() if bound is not None), "--flash"
    )
