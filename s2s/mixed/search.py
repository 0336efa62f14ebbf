"""Find the plan of widths with the least loss within bounds, exactly: an integer program, solved by HiGHS.

    minimise    sum over layers and widths of loss[l, w] x[l, w]
    where       sum over w of x[l, w] = 1
                flash:  fixed + sum of constants[l, w] x[l, w] + sum of code[k] y[k]  <= bound
                time:   fixed + sum of cycles[l, w] x[l, w]                           <= bound
                x[l, w] <= y[k] for each kernel k that computes layer l in width w

`x` says which width a layer has, `y` whether a kernel is in the program: layers of equal shape share one.
"""
# scipy has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from s2s.mixed.prices import Prices, predicted
from s2s.quantization.widths import Plan, Width
from s2s.support.extras import optional_module

Losses = Mapping[tuple[str, Width], float]
"""The noise that a layer in a width adds at the outputs, as a part of the signal."""

_Choice = tuple[str, Width]
"""A layer, or a kernel, in a width."""


class Bounds(NamedTuple):
    """What a plan may cost at most."""

    flash: int | None = None
    ram: int | None = None
    cycles: int | None = None


class _Program(NamedTuple):
    """The variables of the integer program: choices, then kernels."""

    choices: list[tuple[str, Width]]
    kernels: list[tuple[str, Width]]

    def row(self, choices: Mapping[tuple[str, Width], float], kernels: Mapping[tuple[str, Width], float]) -> Any:
        """Return the coefficients of a sum, 0 for variables that are not stated."""
        return np.array(
            [choices.get(choice, 0.0) for choice in self.choices] + [kernels.get(k, 0.0) for k in self.kernels]
        )


def least_loss(prices: Mapping[Width, Prices], losses: Losses, bounds: Bounds) -> Plan | None:
    """Return the plan with the least sum of losses within bounds of flash and time; None if there is none."""
    return _solved(prices, bounds, lambda choice: losses[choice], 0.0)


def smallest(prices: Mapping[Width, Prices], bounds: Bounds) -> Plan | None:
    """Return the plan with the least flash within the bound of time; None if there is none."""
    return _solved(prices, bounds, lambda choice: prices[choice[1]].layers[choice[0]].constants, 1.0)


def fastest(prices: Mapping[Width, Prices], bounds: Bounds) -> Plan | None:
    """Return the plan with the least cycles within the bound of flash; None if there is none."""
    return _solved(prices, bounds, lambda choice: prices[choice[1]].layers[choice[0]].cycles, 0.0)


def _solved(
    prices: Mapping[Width, Prices], bounds: Bounds, goal: Callable[[tuple[str, Width]], float], of_code: float
) -> Plan | None:
    """Minimise a sum of numbers of the choices, and of the code of kernels `of_code` times."""
    optimize = optional_module("scipy.optimize", "mixed", "--flash, --time")
    widths: list[Width] = [width for width in prices if bounds.ram is None or prices[width].total.ram <= bounds.ram]
    layers = list(prices["int8"].layers)
    choices: list[_Choice] = [(layer, width) for layer in layers for width in widths]
    users: dict[_Choice, list[str]] = {
        (kernel, width): [layer for layer in layers if kernel in prices[width].layers[layer].kernels]
        for width in widths
        for kernel in sorted({name for layer in prices[width].layers.values() for name in layer.kernels})
    }
    program = _Program(choices, list(users))
    code: dict[_Choice, float] = {(kernel, width): float(prices[width].code[kernel]) for kernel, width in users}
    limits: list[Any] = []
    for layer in layers:
        row = program.row({(layer, width): 1.0 for width in widths}, {})
        limits.append(optimize.LinearConstraint(row, 1, 1))
    for (kernel, width), computed in users.items():
        for layer in computed:
            limits.append(
                optimize.LinearConstraint(program.row({(layer, width): 1.0}, {(kernel, width): -1.0}), -np.inf, 0)
            )
    for bound, number in ((bounds.flash, "constants"), (bounds.cycles, "cycles")):
        if bound is not None:
            of: dict[_Choice, float] = {
                (layer, width): float(getattr(prices[width].layers[layer], number)) for layer, width in choices
            }
            row = program.row(of, code if number == "constants" else {})
            limits.append(optimize.LinearConstraint(row, -np.inf, bound - _fixed(prices, number)))
    cost = program.row(
        {choice: float(goal(choice)) for choice in choices}, {k: size * of_code for k, size in code.items()}
    )
    if not widths:
        return None
    scale = max(float(np.abs(cost).max()), 1e-30)
    result = optimize.milp(
        cost / scale, constraints=limits, integrality=np.ones(len(cost)), bounds=optimize.Bounds(0, 1)
    )
    if result.x is None:
        return None
    return {layer: width for (layer, width), chosen in zip(choices, result.x, strict=False) if chosen > 0.5}


def _fixed(prices: Mapping[Width, Prices], number: str) -> float:
    """What the network costs beside its layers, and for flash beside their kernels."""
    plain = prices["int8"]
    everywhere: Plan = dict.fromkeys(plain.layers, "int8")
    total = predicted(everywhere, prices)
    of_layers = sum(getattr(layer, number) for layer in plain.layers.values())
    if number == "cycles":
        return total.cycles - of_layers
    shared = {kernel for layer in plain.layers.values() for kernel in layer.kernels}
    return total.flash - of_layers - sum(plain.code[kernel] for kernel in shared)
