"""What each width of each layer costs on a target: measured in builds of whole networks, not modelled.

A network in which all layers have one width is compiled as usual, built for the board of the target, and run there.
Its kernels name the nodes that they compute, so cycles, code and constants belong to layers; layers of equal shape
share a kernel, whose code a plan pays once. The price of a plan is the price of the network in 8 bits and the
differences of its layers; `Builder.built` compiles and runs the plan itself.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import onnx

from s2s.artifact import compile_artifact
from s2s.boards import BOARDS, Board
from s2s.emit.call_comments import kernel_calls
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.quantization.network import Layer
from s2s.quantization.widths import Plan, Width
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.verify.footprint import measure_tree
from s2s.verify.on_board import BoardBuild


class Price(NamedTuple):
    """What a network costs."""

    flash: int
    """Bytes of machine code and constants."""
    ram: int
    """Bytes of arena, inputs, outputs and variables."""
    cycles: int
    """By the model of the core; instructions where it has none."""


@frozen
class LayerPrice:
    """What a layer costs in one width."""

    cycles: int
    constants: int
    """Bytes of its weights."""
    kernels: frozenset[str]
    """The kernels that compute it."""


@frozen
class Prices:
    """The prices of a network whose layers all have one width."""

    total: Price
    code: Mapping[str, int]
    """Bytes of machine code by kernel."""
    layers: Mapping[str, LayerPrice]


class Builder:
    """Compiles, builds and runs models for the board of a target."""

    def __init__(self, options: CompileOptions, inputs: Mapping[str, Array]) -> None:
        """`inputs` are one sample, by input name."""
        self._options, self._inputs = options, inputs
        self._board = board_of(options.target)
        self.unit = "cycles"
        """What `Price.cycles` counts, once a model is built."""

    def built(self, model: onnx.ModelProto, layers: Sequence[Layer]) -> Prices:
        """Compile, build and run a model; the layers' prices are by the names of their nodes."""
        with compile_artifact(model, self._options) as artifact, tempfile.TemporaryDirectory(prefix="s2s-mixed-") as at:
            placed = artifact.tree().write(Path(at) / artifact.name)
            board = self._board
            footprint = measure_tree(placed.folder, artifact.name, artifact.info.target, (board.processor().cc,))
            build = BoardBuild(placed, board)
            try:
                progress.step("running on the board")
                run = build.run([[self._inputs[port.name] for port in artifact.info.inputs]], bounded=False)
            finally:
                build.close()
            calls = kernel_calls(artifact.compilation.at("c").module)
            weights = {array["name"]: array["size"] for array in placed.record["weights"]["arrays"]}
        self.unit = "cycles" if run.cycles else "instructions"
        counts = [layer.instructions if layer.cycles is None else layer.cycles.count for layer in run.layers]
        of_layers: dict[str, LayerPrice] = {}
        for layer in layers:
            places = [place for place, call in enumerate(calls) if layer.name in call.nodes.split(", ")]
            kernels = frozenset(calls[place].kernel for place in places)
            constants = sum(size for name, size in weights.items() if _is_of(name, layer.weights))
            of_layers[layer.name] = LayerPrice(sum(counts[place] for place in places), constants, kernels)
        total = Price(footprint.flash, run.ram, run.cycles[0].count if run.cycles else run.instructions[0])
        code = {call.kernel: footprint.functions.get(call.kernel, 0) for call in calls}
        return Prices(total, code, of_layers)


def _is_of(array: str, weights: str) -> bool:
    """Whether an array of the C is made of some weights: it has their name, and what was done to them behind it."""
    return array == weights or array.startswith(f"{weights}_quantized")


def board_of(target: object) -> Board:
    """Return the emulated board that has the core of a target."""
    name = getattr(target, "name", target)
    board = next((board for board in BOARDS if board.target == name), None)
    if board is None:
        targets = ", ".join(board.target for board in BOARDS)
        raise InputError(f"--target {name}: prices are measured on emulated boards; give one of {targets}")
    return board


def predicted(plan: Plan, prices: Mapping[Width, Prices]) -> Price:
    """Return the price of a plan from the prices of its layers."""
    plain = prices["int8"]
    flash, cycles = plain.total.flash - sum(plain.code.values()), plain.total.cycles
    code = {(name, "int8"): size for name, size in plain.code.items() if not _computes_layers(name, plain)}
    for layer, width in plan.items():
        chosen, base = prices[width].layers[layer], plain.layers[layer]
        flash += chosen.constants - base.constants
        cycles += chosen.cycles - base.cycles
        code |= {(kernel, width): prices[width].code[kernel] for kernel in chosen.kernels}
    used = set(plan.values())
    return Price(flash + sum(code.values()), max(prices[width].total.ram for width in used), cycles)


def _computes_layers(kernel: str, prices: Prices) -> bool:
    return any(kernel in layer.kernels for layer in prices.layers.values())
