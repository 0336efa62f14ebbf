"""Read from the record of an emitted tree what packagings need to know."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from s2s.c_syntax.identifiers import line_comment
from s2s.c_syntax.interface import Interface
from s2s.emit.files import Tree
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.targets.flags import LEVEL
from s2s.version import release


@frozen
class TreeDescription:
    """A tree with its files grouped by purpose; paths are relative to its root."""

    tree: Tree
    network: Interface
    record: Mapping[str, Any]

    @classmethod
    def of(cls, tree: Tree) -> "TreeDescription":
        """Describe a tree; refuse one that is packed already."""
        network = tree.network()
        if network.pools:
            raise InputError(
                f"{network.name}: has an arena in several memory pools, which no package knows; compile without --pool"
            )
        if "devices" in tree.record:
            raise InputError(
                f"{network.name}: runs on several devices, which no package knows; compile without --devices"
            )
        if "packaging" in tree.record:
            raise InputError(
                f"{tree.root}: is packed already, as {tree.record['packaging']}; give the tree that it was made from"
            )
        return cls(tree, network, tree.record)

    @property
    def name(self) -> str:
        """The prefix of the network's C names."""
        return self.network.name

    @property
    def macro(self) -> str:
        """The prefix of its macros."""
        return self.network.macro

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
    def pack(self) -> list[str]:
        """The pack of weights, if they come in one."""
        return [self.record["pack"]["file"]] if self.network.pack else []

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
    def needs_ml_dtypes(self) -> bool:
        """Whether numpy alone lacks an element type of an input or output."""
        return any(port.dtype.name == "bfloat16" for port in self.network.ports)

    @property
    def public_headers(self) -> list[str]:
        """The header that callers include, and the headers that it includes."""
        return [path for path in self.headers if not path.startswith("src/")]

    def text(self, path: str) -> str:
        """A file of the tree as text."""
        return self.tree.text(path)

    def content(self, path: str) -> bytes:
        """A file of the tree."""
        return self.tree.content(path)

    def copied(self, paths: Sequence[str], folder: str = "") -> dict[str, bytes]:
        """Return files of the tree at the same paths below `folder`."""
        return {f"{folder}{path}": self.content(path) for path in paths}

    def flat(self, folder: str) -> dict[str, bytes]:
        """Return all files of the library in one folder, where quoted includes find each other."""
        return {f"{folder}{PurePosixPath(path).name}": self.content(path) for path in self.library}

    def check_call(self, format: str) -> None:
        """Refuse a tree whose run function the package cannot show a call of: without one, or with weights to bind."""
        if self.network.executor != "aot":
            raise InputError(f"--format {format}: wants a run function, and this tree has tables; leave --executor out")
        if self.network.pack:
            raise InputError(f"--format {format}: its call binds no pack of weights; leave --weights pack out")
