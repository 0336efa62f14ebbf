"""Decide which device runs each operator of `main`, and insert a copy where a tensor goes from one to another.

    %a = graph.conv %x, %w {node = "conv1"} : …
    %y = graph.conv %a, %v {node = "conv2"} : …
->                                                              with {layers=dsp=conv2}
    %a = graph.conv %x, %w {node = "conv1"} : …
    %b = graph.device_copy %a from "main" to "dsp" : …
    %c = graph.conv %b, %v {device = "dsp", node = "conv2"} : …
    %y = graph.device_copy %c from "dsp" to "main" : …

The device is a decision (`s2s/decisions/device.py`): the attribute `on_device` of `main` names nodes, which annotations
of relay have left there; a user's tables name layers or operators; an elementwise operator follows its operands;
everything else runs on the first device, `main`, whose memory holds inputs, outputs and state. Where devices are placed
by cost, what no table names runs where the network takes the fewest cycles, copies included. A tensor is copied once to
each device that reads it, by way of `main`. Each device gets constants of its own. Reshapes, which move nothing, are
where their operand is. Functions outside of the network, operators that run networks, and others that become no kernel,
such as the end of a run by an index out of range, are on `main`.
"""

from dataclasses import dataclass, field, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import DEVICE, main_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.device import DeviceKind, PlacedOperator, annotated_device, layer_of
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind, provenance
from s2s.dialects.graph.traits import copy_provenance
from s2s.errors import InputError
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.graph.place_by_cost import CheapestPlacement, cheapest_placement
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN, SHARED, Device, Devices
from s2s.types.weights import WeightStore

_LISTED = 12
"""The nodes or operators that an error names."""


@frozen
class PlanDevicesPass(ModulePass):
    """Place the operators of `main`."""

    name = "graph-plan-devices"

    devices: tuple[str, ...] = ()
    """The devices beside the first one."""
    layers: tuple[str, ...] = ()
    """Which nodes run there, as `dsp=block2/*`."""
    operators: tuple[str, ...] = ()
    """Which operators run there, as `dsp=conv`."""
    costs: tuple[str, ...] = ()
    """What placement by cost reads of each device, as `dsp=cortex-m7/2.0/4.0/500.0/cost/own`: target, clock, rate and
    latency of copies, whether it takes operators that no table names, and its memory."""
    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        devices = tuple(
            _with_costs(Device(name, layers=_of(name, self.layers), operators=_of(name, self.operators)), self.costs)
            for name in self.devices
        )
        main = main_of(op)
        _check_met(main, devices)
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            cheapest = None
            if self.costs:
                targets = {each.name: target_of(ctx, each.target or self.target) for each in devices}
                targets[MAIN] = target_of(ctx, self.target)
                cheapest = cheapest_placement(main, devices, targets, _bound)
            _PlaceOperators(op, main, devices, chooser, weights_of(ctx), cheapest).run()


def _of(name: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.removeprefix(f"{name}=") for text in texts if text.startswith(f"{name}="))


def _with_costs(device: Device, costs: tuple[str, ...]) -> Device:
    """Return `device` with what placement by cost reads."""
    (found, *_) = [*_of(device.name, costs), ""]
    if not found:
        return device
    target, clock, rate, latency, placement, memory = found.rsplit("/", 5)
    return device._replace(
        target=target,
        clock=float(clock),
        rate=float(rate),
        latency=float(latency),
        placement=placement,
        shared=memory == SHARED,
    )


def _check_met(main: FuncOp, devices: Devices) -> None:
    """Refuse layers and operators that the network does not have."""
    ops = list(main.body.block.ops)
    nodes = list(dict.fromkeys(node for op in ops for node in provenance(op)))
    operators = list(dict.fromkeys(op.name.partition(".")[2] for op in ops if _is_placed(op)))
    for device in devices:
        for pattern in device.layers:
            if all(layer_of(op, Device(device.name, layers=(pattern,))) is None for op in ops):
                raise InputError(f"--devices: {device.name}: no node is called {pattern}; {_listed('nodes', nodes)}")
        for operator in device.operators:
            if operator not in operators:
                raise InputError(
                    f"--devices: {device.name}: the network has no operator {operator}; "
                    f"{_listed('operators', operators)}"
                )


def _listed(what: str, names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"its {what} are {', '.join(names[:_LISTED])}{more}"


def _is_placed(op: Operation) -> bool:
    """Return whether a device runs `op`."""
    return graph.computes(op)


def _bound(op: Operation) -> str | None:
    """Return why only the first device can run `op`."""
    if isinstance(op, graph.ExternOp | graph.CallOp):
        return f"a function outside of the network runs on {MAIN}"
    if isinstance(op, graph.NetworkOp):
        return f"loops and branches run on {MAIN}"
    if isinstance(op, graph.StepInterface):
        return f"what is no kernel runs on {MAIN}"
    return None


@dataclass
class _PlaceOperators:
    """Places the operators of one function."""

    home: ModuleOp
    main: FuncOp
    devices: Devices
    chooser: Chooser
    weights: WeightStore
    cheapest: CheapestPlacement | None
    device: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The device of each tensor; constants have none."""
    copies: dict[tuple[SSAValue, str], SSAValue] = field(default_factory=dict[tuple[SSAValue, str], SSAValue])
    constants: dict[tuple[SSAValue, str], SSAValue] = field(default_factory=dict[tuple[SSAValue, str], SSAValue])
    owners: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The device that each constant belongs to: the device of its first reader."""

    def run(self) -> None:
        """Decide about every operator in order, and let it read operands on its device."""
        block = self.main.body.block
        self.device |= dict.fromkeys(block.args, MAIN)
        for op in list(block.ops):
            if isinstance(op, graph.ConstantInterface):
                continue
            if isinstance(op, graph.ReshapeOp):
                if op.x in self.device:
                    self.device[op.y] = self.device[op.x]
                continue
            device = MAIN if isinstance(op, ReturnOp) else self._decided(op)
            for number, operand in enumerate(list(op.operands)):
                op.operands[number] = self._on(device, operand, op)
            self.device |= dict.fromkeys(op.results, device)
            if device != MAIN:
                op.attributes[DEVICE] = StringAttr(device)

    def _decided(self, op: Operation) -> str:
        given = [self.device[operand] for operand in op.operands if operand in self.device]
        follows = fusion_kind(op) <= FusionKind.INJECTIVE and len(set(given)) == 1
        annotated = annotated_device(self.main, op)
        subject = PlacedOperator(self.home, op, self.devices, _bound(op), given[0] if follows else None, annotated)
        if self.cheapest is not None:
            found = self.cheapest
            subject = replace(subject, cheapest=found.devices[op], cycles=found.cycles[op], placement=found.note)
        return self.chooser.choose(DeviceKind(), subject)

    def _on(self, device: str, value: SSAValue, reader: Operation) -> SSAValue:
        """Return `value` in the memory of `device`."""
        if value not in self.device:
            return self._constant_on(device, value, reader)
        origin = self.device[value]
        if origin == device:
            return value
        if MAIN not in (origin, device):
            value, origin = self._on(MAIN, value, reader), MAIN
        if (value, device) not in self.copies:
            copy = graph.DeviceCopyOp(value, origin=origin, device=device)
            copy.y.name_hint = value.name_hint
            if isinstance(value.owner, Operation):
                copy_provenance(copy, value.owner)
            Rewriter.insert_op(copy, InsertPoint.before(reader))
            self.copies[value, device] = copy.y
            self.device[copy.y] = device
        return self.copies[value, device]

    def _constant_on(self, device: str, value: SSAValue, reader: Operation) -> SSAValue:
        """Return a constant for `device`: a copy where another device reads it, too."""
        if self.owners.setdefault(value, device) == device:
            return value
        if (value, device) not in self.constants:
            op = value.owner
            assert isinstance(op, Operation)
            made = op.clone()
            if isinstance(made, graph.WeightOp):
                name = self.weights.add(f"{made.weight_name.data}_{device}", self.weights.get(made.weight_name.data))
                made = graph.WeightOp(name, made.y.type, made.hash.data)
            for number, operand in enumerate(list(made.operands)):
                made.operands[number] = self._constant_on(device, operand, reader)
            Rewriter.insert_op(made, InsertPoint.before(reader))
            made.results[0].name_hint = value.name_hint
            self.constants[value, device] = made.results[0]
        return self.constants[value, device]
