"""`Executor` and `Runtime`: how the C of a network is called, and on what it stands, under TVM's names."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from s2s.errors import InputError, UnsupportedError
from s2s.options import Executor as ExecutorName
from s2s.support.frozen import frozen

Value = bool | int | str
ALIGNMENTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@frozen
class _Choice:
    """A name and its options."""

    name: str
    options: Mapping[str, Value] = field(default_factory=dict[str, Value])

    KNOWN: ClassVar[Mapping[str, Mapping[str, type]]] = {}

    def __post_init__(self) -> None:
        kind, known = type(self).__name__, type(self).KNOWN
        if self.name not in known:
            raise InputError(f"{kind}({self.name!r}): is not known; give {' or '.join(map(repr, known))}")
        wanted = known[self.name]
        for option, value in self.options.items():
            place = f"{kind}({self.name!r}): option {option}"
            if option not in wanted:
                raise InputError(f"{place}: is not known; known are {', '.join(wanted) or 'none'}")
            if type(value) is not wanted[option]:
                raise InputError(f"{place}: is {value!r}; give a {wanted[option].__name__}")

    def __contains__(self, option: str) -> bool:
        """Whether an option is given."""
        return option in self.options

    def __getitem__(self, option: str) -> Value | None:
        """The value of an option, None where it is left out."""
        if option not in type(self).KNOWN[self.name]:
            known = ", ".join(type(self).KNOWN[self.name]) or "none"
            raise InputError(f"{type(self).__name__}({self.name!r}): option {option}: is not known; known are {known}")
        return self.options.get(option)


@frozen
class Executor(_Choice):
    """Who calls the kernels: a function of C (`aot`), or tables that an executor walks (`graph`)."""

    KNOWN: ClassVar[Mapping[str, Mapping[str, type]]] = {
        "aot": {
            "link-params": bool,
            "interface-api": str,
            "unpacked-api": bool,
            "workspace-byte-alignment": int,
            "constant-byte-alignment": int,
        },
        "graph": {"link-params": bool},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in ("workspace-byte-alignment", "constant-byte-alignment"):
            value = self.options.get(option)
            if value is not None and value not in ALIGNMENTS:
                raise InputError(f"Executor: option {option} is {value}; give {', '.join(map(str, ALIGNMENTS))}")
        api = self.options.get("interface-api")
        if api not in (None, "c", "packed"):
            raise InputError(f"Executor: option interface-api is {api!r}; give 'c' or 'packed'")
        if api == "c" and self.options.get("unpacked-api") is False:
            raise InputError("Executor: interface-api 'c' contradicts unpacked-api False; leave one out")
        if api == "packed" or self.options.get("unpacked-api") is False:
            raise UnsupportedError(
                "Executor: the entry function takes plain pointers (interface-api 'c', unpacked-api True); leave both "
                "out, and use the packed functions of s2s.tvm.runtime to call it from Python"
            )
        if self.name == "aot" and self.options.get("link-params") is False:
            raise UnsupportedError("Executor: link-params False: weights are constants of the C; leave it out")

    @property
    def kind(self) -> ExecutorName:
        """The name as the option of the compiler."""
        return "graph" if self.name == "graph" else "aot"

    @property
    def alignment(self) -> int | None:
        """The alignment in bytes that is asked for, of memory and constants."""
        found = [self.options.get(f"{what}-byte-alignment") for what in ("workspace", "constant")]
        return max((each for each in found if isinstance(each, int)), default=None)


@frozen
class Runtime(_Choice):
    """What the C stands on. Both names stand for the same C: it needs no runtime but its own files."""

    KNOWN: ClassVar[Mapping[str, Mapping[str, type]]] = {"crt": {"system-lib": bool}, "cpp": {"system-lib": bool}}


def executor_of(executor: Executor | str) -> Executor:
    """`executor`, which may be its name."""
    return executor if isinstance(executor, Executor) else Executor(executor)


def runtime_of(runtime: Runtime | str) -> Runtime:
    """`runtime`, which may be its name."""
    return runtime if isinstance(runtime, Runtime) else Runtime(runtime)
