"""Refuse invalid options: values outside of the choices, options that contradict each other, and options that
contradict the network.

Everything but the last is checked before anything runs.
"""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from xdsl.dialects.builtin import ModuleOp

from s2s.analysis.network.functions import has_control_flow, main_of
from s2s.decisions.device import annotations
from s2s.errors import InputError, UnsupportedError
from s2s.external.modes import parse_modes
from s2s.options import CompileOptions
from s2s.options.declaration import check_refused
from s2s.types.devices import ASKED, MAIN, Device


def check_options(options: CompileOptions) -> None:
    """Refuse values that options do not take, then options that contradict each other."""
    for field in fields(options):
        if not isinstance(field.type, str):
            _check_choice(field.name, getattr(options, field.name), field.type)
    for device in options.devices:
        parse_modes(device.external, f"--devices: {device.name}: external:")
    check_refused(options)
    if options.threads > 1 and not options.target.fork_join:
        raise InputError(
            f"--threads {options.threads}: target {options.target.name} has no threads; leave the option out, or use "
            "another target"
        )


def check_inspected(options: CompileOptions, layer: str | None) -> None:
    """Refuse options that `s2s inspect` without `--why` ignores: decisions about a layer, and options of the
    compilation."""
    if layer is not None:
        raise InputError(f"{layer}: what is shown of one layer is what was decided about it; add --why")
    if options != CompileOptions(shapes=options.shapes, bind=options.bind, dims=options.dims):
        raise InputError(
            "s2s inspect: what a network holds is the same with all options but --shape, --bind and --dim; leave the "
            "others out, or add --why"
        )


def check_timed(options: CompileOptions) -> None:
    """Refuse options whose kernels `s2s profile` cannot time."""
    if options.executor != "aot":
        raise InputError("--executor graph: its tables call the same kernels as a run function; leave it out here")


def check_profiled(model: Path | None, output: Path | None, *, machine: bool) -> None:
    """Refuse an argument of `s2s profile` that is neither one network nor this machine."""
    if machine and model is not None:
        raise InputError(f"--machine: measures no network; leave {model} or --machine out")
    if not machine and (model is None or output is not None):
        raise InputError(
            "s2s profile: there is nothing to measure, or --output without --machine; give a MODEL, or --machine"
        )
    if output is not None and output.suffix != ".toml":
        raise InputError(f"--output {output}: the file is given as a target, so its name ends in .toml; rename it")


def check_joined(name: str, options: CompileOptions, first: str, others: CompileOptions) -> None:
    """Refuse a network that cannot be in one tree with others: `name`, beside the first one with its options."""
    for is_refused, reason in _REFUSED_TOGETHER:
        if is_refused(options):
            raise UnsupportedError(f"{name}: {reason(options)}")
    for option in ("target", "threads", "threading"):
        if getattr(options, option) != getattr(others, option):
            raise InputError(f"{name}: its {option} is not that of {first}; compile both with one")
    if options.pools != others.pools:
        raise InputError(f"{name}: its memory pools are not those of {first}; compile both with the same")
    if list(map(_hardware, options.devices)) != list(map(_hardware, others.devices)):
        raise InputError(
            f"{name}: its devices are not those of {first}; give both the same, only layers, operators, external and "
            "figures of costs may differ"
        )


def _hardware(device: Device) -> Device:
    """Return what networks in one tree must have in common of a device."""
    return device._replace(layers=(), operators=(), external=(), placement=ASKED, clock=1.0, rate=1.0, latency=0.0)


def check_network(module: ModuleOp, options: CompileOptions) -> None:
    """Refuse networks that ask for unknown devices, or that the tables of the graph executor cannot express."""
    names = [MAIN, *(device.name for device in options.devices)]
    for node, device in annotations(main_of(module)).items():
        if device not in names:
            raise InputError(
                f"{node}: relay.annotation.on_device asks for {device}, and the devices are {', '.join(names)}; add "
                f"{device} to devices="
            )
    if options.executor != "graph":
        return
    if has_control_flow(module):
        raise UnsupportedError("--executor graph: the network has loops or branches, its tables have none; use aot")


_REFUSED_TOGETHER: tuple[tuple[Callable[[CompileOptions], bool], Callable[[CompileOptions], str]], ...] = (
    (
        lambda options: options.executor != "aot",
        lambda _: "has tables for executor graph, which name its kernels; use aot",
    ),
    (
        lambda options: options.profile != "default",
        lambda options: f"--profile {options.profile} gives the arena a type of its own; leave it out",
    ),
    (
        lambda options: options.interface != "plain",
        lambda options: f"--interface {options.interface} is for one network; leave it out, or compile it alone",
    ),
)
"""What a network in one tree with others cannot have."""


def _check_choice(name: str, value: object, type: Any) -> None:
    """Refuse a value that is none of the choices or plain types of an option."""
    alternatives = get_args(type) if get_origin(type) in (Union, UnionType) else (type,)
    choices = [choice for each in alternatives if get_origin(each) is Literal for choice in get_args(each)]
    plain = tuple(each for each in alternatives if each in (int, str, bool, NoneType))
    if len(plain) + sum(get_origin(each) is Literal for each in alternatives) < len(alternatives) or value in choices:
        return
    if not isinstance(value, plain) or (isinstance(value, bool) and bool not in plain):
        words = [str(choice) for choice in choices]
        words += [_WORDS[each] for each in plain if each is not NoneType]
        given = value if isinstance(value, str | int | float) else repr(value)
        raise InputError(f"--{name.replace('_', '-')} {given}: is not known; give {' or '.join(words)}")


_WORDS = {int: "a number", str: "a text", bool: "True or False"}
