"""Read from the record of an emitted tree what packagings need to know."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from s2s.c_syntax.identifiers import c_macro, line_comment
from s2s.c_syntax.types import dtype_named
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.targets.flags import LEVEL
from s2s.types.size_formulas import parse_map
from s2s.types.sizes import Extents, spelled
from s2s.verify.tree_record import tree_record
from s2s.version import release


@frozen
class PortDescription:
    """An input or output of the run function."""

    name: str
    """As in the model: any text."""
    identifier: str
    dtype: str
    """Numpy's name of the element type."""
    shape: tuple[int, ...]
    size: int
    """Bytes."""
    is_quantised: bool = False
    """Whether the header has its scale and its zero point."""
    varies: Extents = ()
    """For each axis the size that it has at run time, empty for a constant one; none if all are constant."""

    @property
    def named_shape(self) -> tuple[int | str, ...]:
        """The shape, with the names of sizes that vary."""
        names = self.varies or ("",) * len(self.shape)
        return tuple(name or size for size, name in zip(self.shape, names, strict=True))


@frozen
class SizeDescription:
    """A size that varies from run to run."""

    name: str
    """As in the model: any text."""
    identifier: str
    """The field of the structure."""
    least: int
    most: int
    step: int
    """The difference between the values that it may have."""
    is_computed: bool
    """Whether the run writes it."""


@frozen
class TreeDescription:
    """A tree on disk, with its files grouped by purpose; paths are relative to its root."""

    root: Path
    record: Mapping[str, Any]

    @classmethod
    def of(cls, root: Path) -> "TreeDescription":
        """Read the tree at `root`; refuse one that is packed already."""
        record = tree_record(root)
        if "pools" in record["arena"]:
            raise InputError(
                f"{root.name}: has an arena in several memory pools, which no package knows; compile without --pool"
            )
        if "devices" in record:
            raise InputError(f"{root.name}: runs on several devices, which no package knows; compile without --devices")
        if "packaging" in record:
            raise InputError(
                f"{root}: is packed already, as {record['packaging']}; give the tree that it was made from"
            )
        return cls(root, record)

    @property
    def name(self) -> str:
        """The prefix of the network's C names."""
        return self.record["name"]

    @property
    def macro(self) -> str:
        """The prefix of its macros."""
        return c_macro(self.name)

    @property
    def generator(self) -> str:
        """The program that wrote the tree, with its version."""
        return f"{self.record['generator']['name']} {self.record['generator']['version']}"

    @property
    def version(self) -> str:
        """The version of the package, three numbers as package managers want them: the generator's version, as networks
        have none."""
        return ".".join(map(str, release(self.record["generator"]["version"])))

    @property
    def summary(self) -> str:
        """One line about the network."""
        return line_comment(f"{self.record['description'] or self.name}: a neural network in C99, from {self.source}")

    @property
    def source(self) -> str:
        """The model's file."""
        return line_comment(self.record["source"]["file"])

    @property
    def calls(self) -> int:
        """Calls of kernels in the C, 0 in a tree that cannot time them."""
        return len(self.record.get("calls", ())) if f"src/{self.name}_trace.h" in self.files else 0

    @property
    def files(self) -> list[str]:
        """Every file of the tree but its record."""
        return list(self.record["files"])

    @property
    def sources(self) -> list[str]:
        """The C files of the library."""
        return [path for path in self.files if path.endswith(".c") and not path.startswith(("test/", "chat/"))]

    @property
    def test_sources(self) -> list[str]:
        """The C files of the self-test."""
        return [path for path in self.files if path.endswith(".c") and path.startswith("test/")]

    @property
    def headers(self) -> list[str]:
        """The headers of the library, the public one first."""
        own = f"include/{self.name}.h"
        return [own, *(path for path in self.files if path.endswith(".h") and path != own and path[:5] != "test/")]

    @property
    def library(self) -> list[str]:
        """All files that the library is compiled from."""
        binaries = [path for path in self.files if path.startswith("src/") and path.endswith(".bin")]
        return [*self.headers, *self.sources, *binaries]

    @property
    def licences(self) -> list[str]:
        """The texts of the licences, and the files that map licences to files."""
        return [path for path in self.files if path.startswith("LICENSES/") or path in ("REUSE.toml", "sbom.cdx.json")]

    @property
    def flags(self) -> list[str]:
        """The compiler flags that results depend on; the project chooses the processor."""
        return [
            flag for flag in self.record["target"]["flags"] if flag.startswith(("-ffp-contract", "-fno-math-errno"))
        ]

    @property
    def level(self) -> str:
        """The optimisation level, which a package sets whatever the project is compiled with."""
        return LEVEL

    @property
    def threads(self) -> str:
        """The thread library of the pool, `pthreads` or `openmp`; empty without a pool."""
        return self.record["threads"]["by"] if "threads" in self.record else ""

    @property
    def keeps_state(self) -> bool:
        """Whether there is a function that resets the state."""
        return bool(self.record["state"])

    @property
    def sizes(self) -> list[SizeDescription]:
        """The sizes that vary, in the order of their structure."""
        return [
            SizeDescription(
                each["name"],
                each["field"],
                each["least"],
                each["most"],
                each.get("step", 1),
                each.get("computed", False),
            )
            for each in self.record.get("sizes", ())
        ]

    @property
    def derived_sizes(self) -> dict[str, str]:
        """The sizes that follow from the sizes of a run, by name, as expressions in Python of the list `s` of the
        latter."""
        names = [f"s[{number}]" for number in range(len(self.sizes))]
        maps = {name: parse_map(text) for name, text in self.record.get("derived_sizes", {}).items()}
        texts = {name: spelled(map.results[0], names) for name, map in maps.items()}
        return {name: text.replace(" floordiv ", " // ").replace(" mod ", " % ") for name, text in texts.items()}

    @property
    def told_sizes(self) -> list[tuple[SizeDescription, str]]:
        """The sizes that only formulas of axes tell, each with the size of such an axis: it tells them one by one."""
        sizes, maps = self.sizes, {name: parse_map(text) for name, text in self.record.get("derived_sizes", {}).items()}
        axes = [name for port in self.inputs for name in port.varies if name]
        told, tellers = {name for name in axes if name not in maps}, list[tuple[SizeDescription, str]]()
        for name in [name for name in axes if name in maps] * len(sizes):
            missing = [sizes[dim] for dim in maps[name].results[0].used_dims() if sizes[dim].name not in told]
            if len(missing) == 1:
                tellers.append((missing[0], name))
                told.add(missing[0].name)
        return tellers

    @property
    def inputs(self) -> list[PortDescription]:
        """The inputs in the order of the run function."""
        return list(map(_port, self.record["inputs"]))

    @property
    def outputs(self) -> list[PortDescription]:
        """The outputs in the order of the run function."""
        return list(map(_port, self.record["outputs"]))

    @property
    def needs_ml_dtypes(self) -> bool:
        """Whether numpy alone lacks an element type of an input or output."""
        return any(port.dtype == "bfloat16" for port in (*self.inputs, *self.outputs))

    @property
    def public_headers(self) -> list[str]:
        """The header that callers include, and the headers that it includes."""
        return [path for path in self.headers if not path.startswith("src/")]

    @property
    def arena_type(self) -> str:
        """The type of the arena, empty where it is an array of bytes."""
        typed = self.record["options"].get("profile") == "misra" and self.record["arena"]["size"]
        return f"{self.name}_arena" if typed else ""

    def text(self, path: str) -> str:
        """A file of the tree as text."""
        return self.content(path).decode()

    def content(self, path: str) -> bytes:
        """A file of the tree."""
        try:
            return (self.root / path).read_bytes()
        except OSError as error:
            raise InputError(
                f"{self.root / path}: cannot be read ({error.strerror}); compile the tree again"
            ) from error

    def copied(self, paths: Sequence[str], folder: str = "") -> dict[str, bytes]:
        """Return files of the tree at the same paths below `folder`."""
        return {f"{folder}{path}": self.content(path) for path in paths}

    def flat(self, folder: str) -> dict[str, bytes]:
        """Return all files of the library in one folder, where quoted includes find each other."""
        return {f"{folder}{PurePosixPath(path).name}": self.content(path) for path in self.library}

    def only_aot(self, format: str) -> None:
        """Refuse a tree for the graph executor, since the package shows a call of the run function."""
        if self.record["executor"] != "aot":
            raise InputError(f"--format {format}: wants a run function, and this tree has tables; leave --executor out")


def _port(record: Mapping[str, Any]) -> PortDescription:
    dtype = dtype_named(record["dtype"]).name
    shape, varies = tuple(record["shape"]), tuple(record.get("varies", ()))
    is_quantised = record["quantisation"] is not None
    return PortDescription(record["name"], record["identifier"], dtype, shape, record["size"], is_quantised, varies)
