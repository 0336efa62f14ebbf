"""The emitted tree of several networks: one runtime, one arena, and what they have in common once.

include/<tree>.h        the common arena, and the headers of all networks
include/<network>.h     what a caller of one network needs
src/<tree>_kernels.c    kernels that several calls share; `<tree>_weights.c` holds shared constants
src/<network>*.c        the rest of each network, as in a tree of its own
test/<network>_test.c   the self-test of each network
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from s2s.analysis.network.functions import SOURCE
from s2s.c_syntax.identifiers import c_macro, line_comment, markdown_code
from s2s.c_syntax.interface import ArenaPool
from s2s.dialects import c
from s2s.emit.arenas import joint_arguments, joint_definitions
from s2s.emit.build_view import device_view
from s2s.emit.external import external_needs, external_view
from s2s.emit.files import Tree
from s2s.emit.info import DeviceInfo, TogetherInfo
from s2s.emit.metadata import SCHEMA, array_record, described, device_record, network_record
from s2s.emit.network_parts import Shared, constants_of
from s2s.emit.regions import pool_address
from s2s.emit.runtime import runtime_of
from s2s.emit.sbom import FILE as SBOM
from s2s.emit.sbom import RUNTIME_LICENCE, sbom
from s2s.emit.sizes import sample_dims
from s2s.emit.statements import comment_lines
from s2s.emit.stream import Content
from s2s.emit.templates import fill
from s2s.emit.tree import NetworkFiles, built
from s2s.emit.units import Program
from s2s.emit.view import GENERATED_LICENCE, Row, TestProgram, TreeView, measured_sizes, origin
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.support.resources import runtime_licence
from s2s.targets.flags import compile_flags
from s2s.types.weights import WeightStore

ONE_AFTER_ANOTHER = (
    "The networks run one after the other in one arena, which is scratch between runs: what one leaves there, another "
    "one overwrites, outputs included."
)
CONCURRENT = "The networks may run at the same time: each has its own part of the arena."
STATEFUL = "Networks that keep state from run to run have their own parts of the arena."
LOADED = "Networks that copy constants to memory pools at start have their own parts of these."
SHARED = (
    "Networks that keep state from run to run go on with each other's: one call of a reset function sets it for all."
)


@frozen
class TogetherView:
    """What the templates of such a tree say beside the view of a tree."""

    memory: str
    """Who may use the arena when."""

    @property
    def memory_lines(self) -> list[str]:
        """`memory` as the lines of a C comment."""
        return comment_lines(self.memory)


def render_together(module: ModuleOp, info: TogetherInfo, weights: WeightStore) -> Tree:
    """Create the tree of several networks from their C: one module each within `module`, after
    `c-share-between-networks`."""
    return _Together(module, info, weights).tree()


class _Together:
    """Collects the files of one tree."""

    def __init__(self, module: ModuleOp, info: TogetherInfo, weights: WeightStore) -> None:
        self.info = info
        modules = {each.sym_name.data: each for each in module.ops if isinstance(each, ModuleOp) and each.sym_name}
        _write_sources_once([modules[each.name] for each in info.networks])
        common = modules.get(info.name, ModuleOp([]))
        program = Program.of(common)
        self.shared = Shared(info.name, program, constants_of(program, weights))
        first = info.networks[0]
        plain = replace(
            first, name=info.name, description="", inputs=(), outputs=(), states=(), measured=None, loaded=0
        )
        parts = tuple(ArenaPool(each.name, 0, each.size, each.address) for each in info.memories)
        plain = replace(plain, pools=parts, arena_align=info.arena_align)
        self.common = NetworkFiles(common, plain, weights)
        self.parts = [NetworkFiles(modules[each.name], each, weights, self.shared) for each in info.networks]
        self.needs = external_needs([func for part in self.parts for func in part.program.callbacks])
        self.files: dict[str, Content] = {}
        memory = CONCURRENT if info.concurrent else ONE_AFTER_ANOTHER
        if not info.concurrent and any(each.states for each in info.networks):
            memory = f"{memory} {SHARED if info.shares_state else STATEFUL}"
        if not info.concurrent and any(each.loaded for each in info.networks):
            memory = f"{memory} {LOADED}"
        self.together = TogetherView(memory)
        self.view = self._view()
        self.common.view = self.view

    def tree(self) -> Tree:
        """Return all files; files that describe others come last."""
        info = self.info
        self._text(f"include/{info.name}.h", "together.h.j2")
        if self.shared.program.kernels:
            self.common.add_kernels()
        self.common.add_constants()
        self.common.add_linker_script()
        self._take(self.common)
        for part in self.parts:
            part.add_network(info)
            self._take(part)
        self.files |= runtime_of(self.files, info.networks[0].target)
        self._licences()
        binaries = [path for each in (self.common, *self.parts) for path in each.binaries]
        tests = [part.test_program(f"{c_macro(part.info.name)}_TESTS") for part in self.parts]
        self.view = built(self.view, self.files, binaries, tests, self._described(tests))
        self._text("Makefile", "Makefile.j2")
        self._text("CMakeLists.txt", "CMakeLists.txt.j2")
        self._text("README.md", "README_together.md.j2")
        return described(self.files, self._record(), [part.info for part in self.parts])

    def _text(self, path: str, template: str) -> None:
        self.files[path] = fill(template, view=self.view, together=self.together).encode()

    def _take(self, part: NetworkFiles) -> None:
        """Add the files of a network; refuse names that two of them have."""
        clash = next((path for path in part.files if path in self.files), None)
        if clash is not None:
            raise InputError(f"{part.info.name}: its file {clash} is another network's too; give it another name")
        self.files |= part.files

    def _view(self) -> TreeView:
        info = self.info
        names = [each.name for each in info.networks]
        listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        external = external_view(self.needs)
        return replace(
            self.common.view,
            title=f"{info.name}: the networks {listed}",
            origin=" and ".join(map(origin, info.networks)),
            lead=f"The neural networks {listed} as portable C99.",
            public_headers=tuple(f'"{name}.h"' for name in names),
            sizes=tuple(self._sizes()),
            usage=self._usage(),
            budgets=tuple(self._budgets()),
            facts=tuple(self._facts()),
            external=external,
            devices=tuple(device_view(each, external_view(self.needs, each.name)) for each in self._devices),
        )

    @property
    def _devices(self) -> list[DeviceInfo]:
        """The devices beside the first one that run kernels of some network."""
        run = {
            name
            for program in (self.shared.program, *(part.program for part in self.parts))
            for name in program.devices
        }
        found = {each.name: each for info in self.info.networks for each in info.devices if each.name in run}
        return list(found.values())

    @property
    def _weights_size(self) -> int:
        own = [array for part in self.parts for array in part.constants]
        return sum(array.size for array in (*own, *self.shared.constants))

    def _sizes(self) -> list[Row]:
        """Return the rows of the header's memory macros."""
        info = self.info
        rows = [
            Row("ARENA_SIZE", str(info.arena_size), "bytes of RAM that the caller provides for all networks"),
            Row("ARENA_ALIGN", str(info.arena_align), "alignment of the arena, in bytes"),
            *(self._memory_sizes() if info.memories else self._offsets()),
            Row("WEIGHTS_SIZE", str(self._weights_size), "bytes of constants in flash"),
        ]
        return measured_sizes(rows, info.measured, info.networks[0].target)

    def _offsets(self) -> list[Row]:
        """Return the rows of the places of all arenas in the common one."""
        places = zip(self.info.networks, self.info.offsets, strict=True)
        return [
            Row(f"{c_macro(each.name)}_ARENA", str(offset), f"where the arena of {each.name} begins in it")
            for each, offset in places
        ]

    def _memory_sizes(self) -> list[Row]:
        """Return the rows of the parts of the arena in several memories, and of the places of networks in them."""
        rows: list[Row] = []
        for memory, part in zip(self.info.memories, self.common.info.pools, strict=True):
            name = c_macro(memory.name)
            rows += [
                Row(f"ARENA_{name}_SIZE", str(memory.size), f"bytes of them in {memory.name}"),
                *pool_address(part),
            ]
            rows += [
                Row(f"{c_macro(network)}_ARENA_{name}", str(offset), f"where that of {network} begins there")
                for network, offset in memory.offsets.items()
            ]
        return rows

    def _budgets(self) -> list[Row]:
        """Return the sizes that a project may limit."""
        kinds = {"ARENA": "arena_is", "WEIGHTS": "weights_are"}
        if self.info.measured is not None:
            kinds["FLASH"] = "flash_is"
            if self.info.measured.stack is not None:
                kinds["STACK"] = "stack_is"
        return [Row(kind, f"{c_macro(self.info.name)}_{kind}_SIZE", check) for kind, check in kinds.items()]

    def _facts(self) -> list[Row]:
        """Return the first table of the README."""
        info = self.info
        rows = [Row(each.name, f"{markdown_code(each.source)}, sha256 `{each.sha256}`") for each in info.networks]
        alone = ", ".join(f"{each.name} {each.arena_size}" for each in info.networks)
        parts = ", ".join(f"{each.name} {each.size}" for each in info.memories)
        saved = len(self.shared.program.kernels)
        rows += [
            Row("arena (RAM)", line_comment(f"{info.arena_size} bytes; alone: {alone}")),
            *([Row("of these in", line_comment(parts))] if parts else []),
            Row("weights (flash)", f"{self._weights_size} bytes"),
            Row("shared", f"{saved} kernels, {len(self.shared.constants)} constants"),
        ]
        if info.measured is not None:
            rows.append(Row("code (flash)", f"{info.measured.code} bytes, by {info.measured.by}"))
        return rows

    def _usage(self) -> str:
        """Write a sample call of each network."""
        lines = [*joint_definitions(self.info), ""]
        is_reset = False
        for part in self.parts:
            name, places = part.info.name, joint_arguments(part.info, self.info)
            lines += sample_dims(part.info, f"{name}_sizes")
            if part.info.loaded:
                lines.append(f"{part.info.load(places)}; /* once, before the first run */")
            if part.info.states and not (self.info.shares_state and is_reset):
                lines.append(f"{part.info.reset(places)}; /* once, before the first run */")
                is_reset = True
            run = part.info.run(places, [port.identifier for port in part.info.ports], sizes=f"&{name}_sizes")
            lines.append(f"s2s_status {name}_status = {run};")
        return "\n".join(lines)

    def _licences(self) -> None:
        """Add the licences of all files, in machine-readable forms."""
        self._text("LICENSES/LicenseRef-Model.txt", "LicenseRef-Model.txt.j2")
        self.files["LICENSES/Apache-2.0.txt"] = runtime_licence().encode()
        self._text("REUSE.toml", "REUSE.toml.j2")
        runtime = [path for path in self.files if path.startswith("runtime/")]
        self.files[SBOM] = sbom(self.common.info, runtime, self.info.networks).encode()

    def _described(self, tests: Sequence[TestProgram]) -> list[Row]:
        """Return the README's table of files."""
        name = self.info.name
        rows = [Row(f"include/{name}.h", "the common arena; includes the headers of all networks")]
        known = {
            f"src/{name}_kernels.c": "kernels that several calls share",
            f"src/{name}_weights.c": "shared constants",
        }
        rows += [Row(path, text) for path, text in known.items() if path in self.files]
        for part in self.parts:
            network = part.info.name
            rows.append(Row(f"include/{network}.h, src/{network}*", f"the network {network}"))
        rows += [
            Row(f"src/{each.name}/", f"what runs on {each.name}, compiled for {each.target.name}")
            for each in self._devices
        ]
        rows += [Row(test.sources[-1], f"the self-test of {test.name}") for test in tests]
        return [
            *rows,
            Row("runtime/", "the part of the s2s runtime that these networks use"),
            Row("LICENSES/", "terms"),
        ]

    def _record(self) -> dict[str, Any]:
        """Return the machine-readable record of the tree."""
        info, first = self.info, self.info.networks[0]
        return {
            "schema": SCHEMA,
            "generator": {"name": "s2s", "version": first.version},
            "name": info.name,
            "licences": {"generated": GENERATED_LICENCE, "runtime": RUNTIME_LICENCE},
            "target": {"name": first.target.name, "flags": list(compile_flags(first.target))},
            **({"external": [each.as_dict() for each in self.needs]} if self.needs else {}),
            **({"devices": [device_record(each, self.common.info) for each in self._devices]} if self._devices else {}),
            **({"threads": first.threads._asdict() | {"flags": list(first.threads.flags)}} if first.threads else {}),
            "arena": {
                "size": info.arena_size,
                "align": info.arena_align,
                "concurrent": info.concurrent,
                **({"shares_state": True} if info.shares_state else {}),
                **self._parts_record(),
            },
            "weights": {"size": self._weights_size},
            "shared": {
                "kernels": [kernel.sym_name.data for kernel in self.shared.program.kernels],
                "weights": list(map(array_record, self.shared.constants)),
            },
            "measured": None if info.measured is None else asdict(info.measured),
            "networks": {
                part.info.name: network_record(part.info, part.program, part.every_constant, part.needs, part.calls)
                for part in self.parts
            },
        }

    def _parts_record(self) -> dict[str, Any]:
        """Describe where the arenas of the networks are in the common one."""
        if self.info.memories:
            return {"pools": [each._asdict() for each in self.info.memories]}
        places = zip(self.info.networks, self.info.offsets, strict=True)
        return {"offsets": {each.name: offset for each, offset in places}}


def _write_sources_once(networks: Sequence[ModuleOp]) -> None:
    """Keep the source of a function of the user in the first network that has it; refuse two that differ."""
    known: dict[str, Attribute] = {}
    for func in [op for network in networks for op in network.ops if isinstance(op, c.FuncOp)]:
        source = func.attributes.get(SOURCE)
        if source is None:
            continue
        name = func.sym_name.data
        if name not in known:
            known[name] = source
            continue
        if known[name] != source:
            raise InputError(f"{name}: two networks bring functions of this name that differ; rename one of them")
        del func.attributes[SOURCE]
