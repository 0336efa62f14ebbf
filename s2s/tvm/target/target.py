"""Targets under TVM's names: strings with attributes, hosts, and the target of a `with` block.

    Target("c -mcpu=cortex-m4")     the target cortex-m4
    Target("llvm -mcpu=skylake-avx512")
    Target("cuda -arch=sm_75")      a device to dispatch on, for which nothing is built
    with Target("cortex-m7"): relay.build(mod, params=params)

A target of TVM names a code generator and a processor; one of ours is data of a processor, and the code is always C.
Attributes that describe the processor are honoured or refused (`processors.py`) once its data are asked for; `-libs`
names external code generators, `-num-cores` threads. `-keys` and `-device` choose among functions of a program
(`generic_func.py`), and `-model` and `-tag` are names for people.
"""

import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from s2s.errors import UnsupportedError, WrongValueError
from s2s.targets import Target as Data
from s2s.targets import get_target, target_names
from s2s.tvm.target.canon import Canon
from s2s.tvm.target.kinds import BYTES, KINDS, LLVM, PROCESSOR, PROCESSORS, TargetKind
from s2s.tvm.target.parsing import Attributes, parsed, text_of, typed
from s2s.tvm.target.processors import is_arm, processor

LIBRARIES = {
    "cblas": "blas",
    "mkl": "blas",
    "openblas": "blas",
    "blas": "blas",
    "dnnl": "onednn",
    "mkldnn": "onednn",
    "onednn": "onednn",
    "cmsis-nn": "cmsis-nn",
}
"""The external code generator that a library of `-libs` stands for."""
APART = ("keys", "host", "tag")
"""What is asked for by names of its own, and is no attribute."""

_current: ContextVar[tuple["Target", ...]] = ContextVar("targets", default=())

TargetLike: TypeAlias = "str | Mapping[str, object] | Data | Target"


class TargetFeatures:
    """What a target can do, by names that its kind defines: `is_test` of the kind `test`; others are None."""

    def __init__(self, target: "Target") -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return True if name == "is_test" and self._target.kind.name == "test" else None


class Target(Canon):
    """A processor to compile for, or a device that a program describes."""

    def __init__(self, target: TargetLike, host: "TargetLike | None" = None) -> None:
        if not isinstance(target, str | Mapping | Data | Target):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongValueError(f"target {target!r}: is no text and no mapping; give one")
        if isinstance(target, Target):
            self.kind, self.given, self.named, self.host = target.kind, target.given, target.named, target.host
        else:
            self._describe(target)
        self.host: Target | None = self.host if host is None else Target(host)
        self._data: Data | None = None

    def _describe(self, target: str | Mapping[str, object] | Data) -> None:
        """Take over what a program says: the kind and the attributes, or a processor of ours."""
        name, attributes = ("c", Attributes()) if isinstance(target, Data) else parsed(target)
        self.named = target if isinstance(target, Data) else None if name in KINDS else get_target(name)
        """The processor that is named in place of a kind."""
        self.kind: TargetKind = KINDS.get(name, KINDS["c"])
        host = attributes.pop("host", None)
        self.host = None if host is None else Target(cast("TargetLike", host))
        self.given: Mapping[str, Any] = typed(self.kind, attributes)
        """The attributes that are given, with `keys` and `tag`."""

    def __repr__(self) -> str:
        return f"Target({self})"

    def __str__(self) -> str:
        """The target as text, which makes the same target."""
        name = self.kind.name if self.named is None else self.named.name
        if self.named is not None and not self.given:
            return name
        shown = {"keys": ",".join(self.keys), **{key: text_of(self._all[key]) for key in sorted(self._all)}}
        if "tag" in self.given:
            shown["tag"] = self.tag
        return " ".join([name, *(f"-{key}={shlex.quote(value)}" for key, value in shown.items())])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Target):
            return False
        return (str(self), self.named, self.host) == (str(other), other.named, other.host)

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
    def data(self) -> Data:
        """The processor that C is compiled for; refused of a device, and where the host is another processor."""
        if self._data is None:
            self._data = _data(self)
            _check_host(self, self._data)
        return self._data

    @property
    def _all(self) -> dict[str, Any]:
        """The attributes, with the ones that every target of the kind has."""
        own = {key: value for key, value in self.given.items() if key not in APART}
        return {**self.kind.defaults, **own}

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes: texts, lists of texts, integers, and targets where they are devices."""
        devices = {"devices": [Target(each) for each in self.given["devices"]]} if "devices" in self.given else {}
        return {**self._all, **devices}

    @property
    def keys(self) -> list[str]:
        """The keys to dispatch on: the ones of `-keys`, the device, then the ones of the kind."""
        device = [self.device_name] if self.device_name else []
        arm = ["arm_cpu"] if "cpu" in self.kind.keys and is_arm(self.mcpu, self.given.get("mtriple", "")) else []
        return list(dict.fromkeys([*self.given.get("keys", []), *device, *arm, *self.kind.keys]))

    @property
    def mcpu(self) -> str:
        """The processor that was named."""
        return self.given.get("mcpu", "")

    @property
    def mattr(self) -> list[str]:
        """The features that were switched on or off."""
        return list(self.given.get("mattr", []))

    @property
    def arch(self) -> str:
        """The architecture of a graphics processor."""
        return self.given.get("arch", "")

    @property
    def max_num_threads(self) -> int:
        """The threads of a block of a graphics processor."""
        return self._number("max_num_threads")

    @property
    def thread_warp_size(self) -> int:
        """The threads of a graphics processor that run in step."""
        return self._number("thread_warp_size")

    def _number(self, name: str) -> int:
        if name not in self._all:
            raise WrongValueError(f"target {self}: has no {name}, which graphics processors have; give it")
        return self._all[name]

    @property
    def model(self) -> str:
        """The name of the board, `unknown` where there is none."""
        return self.given.get("model", "unknown")

    @property
    def tag(self) -> str:
        """The tag that stood for the target."""
        return self.given.get("tag", "")

    @property
    def device_name(self) -> str:
        """The value of `-device`."""
        return self.given.get("device", "")

    @property
    def libs(self) -> list[str]:
        """The libraries of `-libs`."""
        return list(self.given.get("libs", []))

    @property
    def generators(self) -> list[str]:
        """The external code generators that the libraries stand for."""
        return list(dict.fromkeys(LIBRARIES[each] for each in self.libs))

    @property
    def features(self) -> TargetFeatures:
        """What the target can do."""
        return TargetFeatures(self)

    @property
    def max_function_args(self) -> int:
        """The arguments that a function may have."""
        limit: int | None = self._all.get("max_function_args")
        return self.data.max_function_args if limit is None else limit

    @property
    def num_cores(self) -> int:
        """The threads that kernels may use, 1 where `-num-cores` is left out."""
        return self.given.get("num-cores", 1)

    def get_kind_attr(self, attr_name: str) -> None:
        """What a code generator has registered for the kind, which none does: they are given to `relay.build`."""

    def get_target_device_type(self) -> int:
        """DLPack's number of the device that code of the target runs on."""
        return self.kind.device_type

    def export(self) -> dict[str, object]:
        """Return the target as a mapping, which makes the same target."""
        host = {} if self.host is None else {"host": self.host.export()}
        name = self.kind.name if self.named is None else self.named.name
        return {**self._all, "kind": name, "keys": self.keys, "tag": self.tag, **host}

    def with_host(self, host: "TargetLike | None" = None) -> "Target":
        """Return the target with another host."""
        return Target(self, host)

    @staticmethod
    def list_kinds() -> list[str]:
        """Return the kinds of targets."""
        return list(KINDS)

    @staticmethod
    def current(allow_none: bool = True) -> "Target | None":
        """The target of the `with` block around."""
        targets = _current.get()
        if not targets and not allow_none:
            raise WrongValueError("Target.current: there is no `with Target(…)` around; open one")
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


def _check_host(target: Target, data: Data) -> None:
    """Refuse a host that is another processor: all C of a network is compiled for one."""
    if target.host is not None and target.host.data.name not in (data.name, "c", "host"):
        raise UnsupportedError(
            f"target {target}: host {target.host} is another processor, and the C of a network is compiled for one; "
            "leave the host out"
        )


def _data(target: Target) -> Data:
    """The processor that a target describes."""
    name = target.kind.name if target.named is None else target.named.name
    place, attributes = f"target {name}", target.given
    if target.kind.name not in PROCESSORS:
        raise UnsupportedError(f"{place}: there is no code for it, as the code is C for processors; name a processor")
    option = next((each for each in attributes if each in LLVM), None)
    if option is not None:
        raise UnsupportedError(f"{place} -{option}: is an option of LLVM, and the code is C; leave it out")
    library = next((each for each in target.libs if each not in LIBRARIES), None)
    if library is not None:
        raise WrongValueError(f"{place} -libs={library}: no external code generator; known are {', '.join(LIBRARIES)}")
    described = processor(place, {key: text_of(attributes[key]) for key in attributes if key in PROCESSOR})
    if described is not None and target.named is not None and target.named.name != described.name:
        raise WrongValueError(f"{place}: is a processor, and its attributes describe {described.name}; leave one out")
    data = described or target.named or get_target(PROCESSORS[target.kind.name])
    alignment = max((attributes[each] for each in BYTES if each in attributes), default=0)
    return replace(data, align=alignment) if alignment > data.align else data


__all__ = ["KINDS", "Target", "TargetKind", "TargetLike", "resolve", "target_names", "target_of"]

if not TYPE_CHECKING:  # a checker would take every name for an object

    def __getattr__(name: str) -> object:
        makers = import_module("s2s.tvm.target.makers")
        if name.startswith("_") or not hasattr(makers, name):
            raise AttributeError(f"module 's2s.tvm.target.target' has no attribute {name!r}")
        return getattr(makers, name)
