"""Targets under TVM's names: strings with attributes, hosts, and the target of a `with` block.

    Target("c -mcpu=cortex-m4")     the target cortex-m4
    Target("llvm -mcpu=skylake-avx512")
    with Target("cortex-m7"): relay.build(mod, params=params)

A target of TVM names a code generator and a processor; one of ours is data of a processor, and the code is always C.
Attributes that describe the processor are honoured or refused (`processors.py`); `-libs` names external code
generators, `-num-cores` threads. `-keys` and `-device` choose among TVM's libraries of schedules, where we read the
processor's data, and `-model` and `-tag` are names for people: these four are kept for programs that ask for them.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeAlias, cast

from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.targets import Target as Data
from s2s.targets import get_target, target_names
from s2s.tvm.target.processors import processor
from s2s.tvm.target.tags import TAGS

KINDS = {"c": "c", "llvm": "host"}
"""The target that each code generator of TVM stands for where no processor is named."""
LIBRARIES = {
    "cblas": "blas",
    "mkl": "blas",
    "openblas": "blas",
    "blas": "blas",
    "dnnl": "onednn",
    "onednn": "onednn",
    "cmsis-nn": "cmsis-nn",
}
"""The external code generator that a library of `-libs` stands for."""
PROCESSOR = ("mcpu", "mtriple", "mattr", "march", "mabi", "mfloat-abi")
"""Attributes that describe the processor."""
NUMBERS = ("num-cores", "constants-byte-alignment", "workspace-byte-alignment")
NAMES = ("keys", "device", "model", "tag", "libs", "host")
KNOWN = (*PROCESSOR, *NUMBERS, *NAMES)

_current: ContextVar[tuple["Target", ...]] = ContextVar("targets", default=())

TargetLike: TypeAlias = "str | Mapping[str, object] | Data | Target"


@frozen
class TargetKind:
    """The code generator of a target."""

    name: str

    def __str__(self) -> str:
        return self.name


class Target:
    """A processor to compile for."""

    def __init__(self, target: TargetLike, host: "TargetLike | None" = None) -> None:
        if isinstance(target, Target):
            self.kind, self.attrs, self.data, self.host = target.kind, target.attrs, target.data, target.host
        elif isinstance(target, Data):
            self.kind, self.attrs, self.data = TargetKind("c"), dict[str, str](), target
            self.host: Target | None = None
        else:
            kind, self.attrs = _parsed(target)
            self.data = _data(kind, self.attrs)
            self.kind = TargetKind(kind if kind in KINDS else "c")
            self.host = Target(self.attrs["host"]) if "host" in self.attrs else None
        self.host = self.host if host is None else Target(host)
        _check_host(self)

    def __repr__(self) -> str:
        return f"Target({self}: {self.data.name})"

    def __str__(self) -> str:
        """The target as text, which makes the same target."""
        if not self.attrs and self.data.name not in KINDS.values():
            return self.data.name
        shown = {"keys": ",".join(self.keys), **self.attrs}
        return " ".join([self.kind.name, *(f"-{name}={value}" for name, value in shown.items() if name != "host")])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and (str(self), self.data) == (str(other), other.data)

    def __hash__(self) -> int:
        return hash(str(self))

    def __enter__(self) -> Self:
        _current.set((*_current.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.set(_current.get()[:-1])

    @property
    def keys(self) -> list[str]:
        """The names of TVM's libraries of schedules: of `-keys`, the device's, then `cpu`."""
        named = [each for each in self.attrs.get("keys", "").split(",") if each]
        device = self.attrs.get("device", "")
        return list(dict.fromkeys([*named, *([device] if device else []), "cpu"]))

    @property
    def mcpu(self) -> str:
        """The processor that was named."""
        return self.attrs.get("mcpu", "")

    @property
    def mattr(self) -> list[str]:
        """The features that were switched on or off."""
        return [each for each in self.attrs.get("mattr", "").split(",") if each]

    @property
    def model(self) -> str:
        """The name of the board, `unknown` where there is none."""
        return self.attrs.get("model", "unknown")

    @property
    def tag(self) -> str:
        """The tag that stood for the target."""
        return self.attrs.get("tag", "")

    @property
    def device_name(self) -> str:
        """The value of `-device`."""
        return self.attrs.get("device", "")

    @property
    def libs(self) -> list[str]:
        """The libraries of `-libs`."""
        return [each for each in self.attrs.get("libs", "").split(",") if each]

    @property
    def generators(self) -> list[str]:
        """The external code generators that the libraries stand for."""
        return list(dict.fromkeys(LIBRARIES[each] for each in self.libs))

    @property
    def max_function_args(self) -> int:
        """The arguments that a function may have."""
        return self.data.max_function_args

    @property
    def num_cores(self) -> int:
        """The threads that kernels may use, 1 where `-num-cores` is left out."""
        return int(self.attrs.get("num-cores", "1"))

    def export(self) -> dict[str, object]:
        """Return the target as a mapping, which makes the same target."""
        names = {key: self.attrs[key].split(",") if key in ("libs", "mattr") else self.attrs[key] for key in self.attrs}
        return {**names, "kind": self.kind.name, "keys": self.keys, "tag": self.tag}

    def with_host(self, host: "TargetLike | None" = None) -> "Target":
        """Return the target with another host."""
        return Target(self, host)

    @staticmethod
    def list_kinds() -> list[str]:
        """Return the code generators."""
        return list(KINDS)

    @staticmethod
    def current(allow_none: bool = True) -> "Target | None":
        """The target of the `with` block around."""
        targets = _current.get()
        if not targets and not allow_none:
            raise InputError("Target.current: there is no `with Target(…)` around; open one")
        return targets[-1] if targets else None


def resolve(target: object, host: object = None) -> Data:
    """The data of what `build` takes as a target: one, a list or a mapping of one, or None for the current one."""
    return target_of(target, host).data


def target_of(target: object, host: object = None) -> Target:
    """The target that `build` takes in each form, as `resolve`; without one the target of the `with` around, else this
    machine."""
    if target is None:
        return Target.current() or Target("llvm")
    if isinstance(target, Mapping) and "kind" not in target:
        target = list(cast("Mapping[object, object]", target).values())
    if isinstance(target, Sequence) and not isinstance(target, str):
        targets = list(cast("Sequence[object]", target))
        if len(targets) != 1:
            raise UnsupportedError(
                f"target: {len(targets)} targets for one network; give one, and place parts of the network on others "
                "by devices={name: {'target': …, 'operators': […]}}"
            )
        target = targets[0]
    return Target(cast("str | Target", target), cast("str | Target | None", host))


def _check_host(target: Target) -> None:
    """Refuse a host that is another processor: all C of a network is compiled for one."""
    if target.host is not None and target.host.data.name not in (target.data.name, "c", "host"):
        raise UnsupportedError(
            f"target {target}: host {target.host} is another processor, and the C of a network is compiled for one; "
            "leave the host out"
        )


def _parsed(target: str | Mapping[str, object]) -> tuple[str, dict[str, str]]:
    """The kind and the attributes of a target as text, JSON, a tag or a mapping."""
    if isinstance(target, str):
        if target in TAGS:
            kind, attributes = _parsed(TAGS[target])
            return kind, {**attributes, "tag": target}
        if not target.lstrip().startswith("{"):
            return _words(target)
        target = cast("Mapping[str, object]", json.loads(target))
    if "tag" in target and "kind" not in target:
        kind, attributes = _parsed(str(target["tag"]))
        return kind, {**attributes, **_attributes(target)}
    return str(target.get("kind", "c")), _attributes(target)


def _attributes(target: Mapping[str, object]) -> dict[str, str]:
    """The attributes of a mapping as text; lists are joined."""
    return {
        key: ",".join(map(str, cast("list[object]", value))) if isinstance(value, list | tuple) else str(value)
        for key, value in target.items()
        if key != "kind" and value not in ("", None)
    }


def _words(target: str) -> tuple[str, dict[str, str]]:
    kind, *words = shlex.split(target) or [""]
    attributes: dict[str, str] = {}
    while words:
        word = words.pop(0)
        name, is_valued, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            raise InputError(f"target {target!r}: {word!r} is no attribute; write -mcpu=NAME")
        if not is_valued:
            value = words.pop(0) if words and not words[0].startswith("-") else "1"
        if attributes.get(name, value) != value:
            raise InputError(f"target {target!r}: -{name} is given twice; leave one out")
        attributes[name] = value
    return kind, attributes


def _data(kind: str, attributes: Mapping[str, str]) -> Data:
    place = f"target {kind}"
    unknown = [name for name in attributes if name not in KNOWN]
    if unknown:
        raise InputError(f"{place} -{unknown[0]}: is not known; known are -{', -'.join(KNOWN)}")
    for name in NUMBERS:
        if name in attributes and not (attributes[name].isdigit() and int(attributes[name]) > 0):
            raise InputError(f"{place} -{name}={attributes[name]}: is no positive number; give one")
    library = next((each for each in attributes.get("libs", "").split(",") if each and each not in LIBRARIES), None)
    if library is not None:
        raise InputError(f"{place} -libs={library}: no external code generator; known are {', '.join(LIBRARIES)}")
    described = processor(place, attributes)
    if described is not None and kind not in KINDS and get_target(kind).name != described.name:
        raise InputError(f"{place}: is a processor, and its attributes describe {described.name}; leave one out")
    data = described or get_target(KINDS.get(kind, kind))
    alignment = max((int(attributes[name]) for name in NUMBERS[1:] if name in attributes), default=0)
    return replace(data, align=alignment) if alignment > data.align else data


__all__ = ["KINDS", "Target", "TargetKind", "TargetLike", "resolve", "target_names", "target_of"]
