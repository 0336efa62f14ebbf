"""Targets under TVM's names: strings with attributes, hosts, and the target of a `with` block.

    Target("c -mcpu=cortex-m4")     the target cortex-m4
    Target("llvm -mcpu=skylake-avx512")
    with Target("cortex-m7"): s2s.build(mod, params=params)

A target of TVM names a code generator and a processor; one of ours is data of a processor, and the code is always C.
"""

import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import Self, cast

from s2s.errors import InputError, UnsupportedError
from s2s.targets import Target as Data
from s2s.targets import get_target, target_names
from s2s.targets.file import SUFFIX

KINDS = {"c": "c", "llvm": "host"}
"""The target that each code generator of TVM stands for where no processor is named."""
PROCESSORS = {
    "native": "host",
    "generic": "c",
    "haswell": "x86-64-v3",
    "broadwell": "x86-64-v3",
    "skylake": "x86-64-v3",
    "core-avx2": "x86-64-v3",
    "znver2": "x86-64-v3",
    "znver3": "x86-64-v3",
    "skylake-avx512": "x86-64-v4",
    "cascadelake": "x86-64-v4",
    "icelake-server": "x86-64-v4",
    "sapphirerapids": "x86-64-v4",
    "znver4": "x86-64-v4",
}
"""The target that a processor of x86-64 stands for; names of our targets stand for themselves."""
KEPT = (
    "keys",
    "model",
    "device",
    "march",
    "mattr",
    "mabi",
    "num-cores",
    "libs",
    "tag",
    "host",
    "constants-byte-alignment",
)
"""Attributes that are kept and change nothing."""

_current: ContextVar[tuple["Target", ...]] = ContextVar("targets", default=())

TargetLike = "str | Mapping[str, object] | Data | Target"


class Target:
    """A processor to compile for."""

    def __init__(self, target: "str | Mapping[str, object] | Data | Target", host: object = None) -> None:
        if isinstance(target, Target):
            self.kind, self.attrs, self.data = target.kind, target.attrs, target.data
        elif isinstance(target, Data):
            self.kind, self.attrs, self.data = "c", dict[str, str](), target
        else:
            self.kind, self.attrs = _parsed(target)
            self.data = _data(self.kind, self.attrs)
        self.host = None if host is None else Target(cast("str | Target", host))

    def __repr__(self) -> str:
        attributes = "".join(f" -{name}={value}" for name, value in self.attrs.items())
        return f"Target({self.kind}{attributes}: {self.data.name})"

    def __enter__(self) -> Self:
        _current.set((*_current.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.set(_current.get()[:-1])

    @property
    def mcpu(self) -> str:
        """The processor that was named."""
        return self.attrs.get("mcpu", "")

    @staticmethod
    def current(allow_none: bool = True) -> "Target | None":
        """The target of the `with` block around."""
        found = _current.get()
        if not found and not allow_none:
            raise InputError("Target.current: there is no `with Target(…)` around; open one")
        return found[-1] if found else None


def resolve(target: object, host: object = None) -> Data:
    """The data of what `build` takes as a target: one, a list or a mapping of one, or None for the current one."""
    if target is None:
        current = Target.current()
        return get_target("host") if current is None else current.data
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
    return Target(cast("str | Target", target), host).data


def _parsed(target: "str | Mapping[str, object]") -> tuple[str, dict[str, str]]:
    """The kind and the attributes of a target as text or as a mapping."""
    if not isinstance(target, str):
        attributes = {key: str(value) for key, value in target.items() if key != "kind"}
        return str(target.get("kind", "c")), attributes
    kind, *words = shlex.split(target) or [""]
    attributes: dict[str, str] = {}
    for word in words:
        name, is_given, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            raise InputError(f"target {target!r}: {word!r} is no attribute; write -mcpu=NAME")
        attributes[name] = value if is_given else "1"
    return kind, attributes


def _data(kind: str, attributes: Mapping[str, str]) -> Data:
    unknown = [name for name in attributes if name not in ("mcpu", "mtriple", *KEPT)]
    if unknown:
        raise InputError(f"target {kind} -{unknown[0]}: is not known; known are -mcpu, -mtriple, -{', -'.join(KEPT)}")
    mcpu = attributes.get("mcpu", "")
    if mcpu:
        name = PROCESSORS.get(mcpu, mcpu)
        if name not in target_names():
            known = ", ".join([*target_names(), *PROCESSORS])
            raise InputError(f"target {kind} -mcpu={mcpu}: no such processor; known are {known}, and files *{SUFFIX}")
        return get_target(name)
    if attributes.get("mtriple", "").startswith("aarch64"):
        return get_target("aarch64")
    if kind in KINDS:
        return get_target(KINDS[kind])
    return get_target(kind)
