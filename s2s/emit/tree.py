"""The emitted tree: every file of a compiled network, ready to be written.

include/<model>.h       what a caller needs
src/<model>.c           the run function (executor `aot`) or the tables (`graph`)
src/<model>_kernels.c   kernels; `_kernels_1.c`, `_kernels_2.c`, … when long; `_kernels.h` declares them
src/<model>_weights.c   constants, with `.h`, and `.c.bin` where they are binary
src/<device>/           kernels and constants of another device
runtime/                the files of the C runtime that these include
src/tvmgen_<model>.c    TVM's C interface, with `include/tvmgen_<model>.h`, where it is asked for (executor `aot`)
src/<model>_functions.c kernels as packed functions, with `include/<model>_functions.h` and `src/<model>_program.c`, for
                        TVM's graph executor in C, where it is asked for (executor `graph`)
src/<model>_tokenizer.c the tokeniser of a language model, with `include/<model>_tokenizer.h`
chat/                   a program to talk to a language model in a terminal
test/                   self-test with golden vectors
LICENSES/ REUSE.toml sbom.cdx.json   on what terms each file comes
Makefile CMakeLists.txt README.md metadata.json
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from s2s.analysis.network.functions import SOURCE
from s2s.c_syntax.identifiers import c_macro, pool_macro
from s2s.decisions.constants import BINARY, by_size, place_of_constants
from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.emit.build_view import device_view, flags_view
from s2s.emit.call_comments import PlacedCall, calls_of, hooked_calls, placed_calls
from s2s.emit.constants_view import constants_view, need_math
from s2s.emit.declarations import hooks_guard, interface, private_prototypes
from s2s.emit.external import (
    external_needs,
    external_view,
    generator_of,
    headers_of_sources,
    imports_of,
    packed_functions,
    texts_of,
)
from s2s.emit.files import Tree
from s2s.emit.headers import signature_headers, type_headers
from s2s.emit.info import NetworkInfo, TogetherInfo
from s2s.emit.language import language_view
from s2s.emit.metadata import described, network_record
from s2s.emit.network_parts import Shared, constants_of, header_of_constants, pack_of, script_of, stem_of
from s2s.emit.readme import facts, files_in_words, first_arena, further_arenas, graph_usage, lead, memory, usage
from s2s.emit.regions import regions
from s2s.emit.runtime import runtime_of
from s2s.emit.sbom import FILE as SBOM
from s2s.emit.sbom import sbom
from s2s.emit.selftest import golden_vectors, test_view
from s2s.emit.sizes import computed_dims, dims, graph_sizes
from s2s.emit.stream import Content, Stream
from s2s.emit.templates import fill
from s2s.emit.units import Program, Unit, owner_of
from s2s.emit.view import (
    Row,
    TestProgram,
    TreeView,
    UnitView,
    budgets,
    origin,
    port_views,
    sizes,
)
from s2s.emit.weights import ConstantArray, binary_file, c_arrays, place
from s2s.support.resources import runtime_licence
from s2s.types.devices import MAIN
from s2s.types.weights import WeightStore


def render(module: ModuleOp, info: NetworkInfo, weights: WeightStore) -> Tree:
    """Create the tree of a network from its C in `module`, after `c-name-temporaries`, and its constants in
    `weights`."""
    return NetworkFiles(module, info, weights).tree()


class NetworkFiles:
    """Collects the files of one network: a tree, or with `shared` its part of a tree of several."""

    def __init__(self, module: ModuleOp, info: NetworkInfo, weights: WeightStore, shared: Shared | None = None) -> None:
        self.info = info
        self.form = place_of_constants(module)
        self.program = Program.of(module)
        self.shared = shared
        self.constants = constants_of(self.program, weights)
        self.pack = pack_of(self.program, weights, info.target.align) if info.pack else None
        self.every_constant = [*self.constants, *self._shared_constants(module)]
        self.needs = external_needs(self.program.callbacks)
        self.calls: list[PlacedCall] = []
        self.files: dict[str, Content] = {}
        self.binaries: list[str] = []
        self.view = self._view()

    def tree(self) -> Tree:
        """Return all files; files that describe others come last."""
        name = self.info.name
        self.add_network()
        self._tvm_interface()
        self._runtime()
        self._graph_files()
        if self.info.profile == "misra":
            from s2s.emit.misra import ADVISED, DEVIATIONS

            self._text("MISRA.md", "MISRA.md.j2", deviations=DEVIATIONS, advised=ADVISED)
        self._licences()
        self.view = built(
            self.view, self.files, self.binaries, [self.test_program("TESTS")], files_in_words(self.files, name)
        )
        self._text("Makefile", "Makefile.j2")
        self._text("CMakeLists.txt", "CMakeLists.txt.j2")
        self._text("README.md", "README.md.j2")
        record = network_record(self.info, self.program, self.constants, self.needs, self.calls)
        if self.pack is not None:
            record["pack"] = self.pack.record(name)
        return described(self.files, record, [self.info])

    def add_network(self, joint: TogetherInfo | None = None) -> None:
        """Add the header, the code, the constants and the self-test of the network, in a tree of several if `joint`."""
        name = self.info.name
        self._text(f"include/{name}.h", "model.h.j2")
        self._entry()
        self.add_kernels()
        self._callbacks()
        self.add_hooks()
        self.add_constants()
        self._add_pack()
        self._language(joint)
        if joint is None:
            self.add_linker_script()
        self._self_test()

    def add_linker_script(self) -> None:
        """Add the part of a linker script that places the pools with an address."""
        if self.info.memories:
            self._text(script_of(self.info.name), "pools.ld.j2", regions=regions(self.info))

    def test_program(self, variable: str) -> TestProgram:
        """Return the self-test as build files know it."""
        folder = f"test/{self.info.name}_"
        sources = tuple(path for path in self.files if path.startswith(folder) and path.endswith(".c"))
        return TestProgram(self.info.name, variable, sources)

    def _shared_constants(self, module: ModuleOp) -> list[ConstantArray]:
        """Return the shared constants that the network names."""
        if self.shared is None:
            return []
        named = {op.symbol.data for op in walk(module) if isinstance(op, c.SymbolOp)}
        return [array for array in self.shared.constants if array.identifier in named]

    def _view(self) -> TreeView:
        info = self.info
        size = sum(array.size for array in self.every_constant)
        ports = port_views(info)
        return TreeView(
            name=info.name,
            macro=c_macro(info.name),
            version=info.version,
            title=f"{info.name}: {info.description or 'what a caller needs'}",
            origin=origin(info),
            lead=lead(info),
            target=info.target.name,
            cross_compiler=info.target.cc,
            flags=flags_view(info),
            public_headers=self._public_headers(),
            sizes=tuple(sizes(info, size, self.program.graph, 0 if self.pack is None else self.pack.size)),
            dims=dims(info),
            computed_dims=computed_dims(info),
            graph_sizes=graph_sizes(info),
            ports=ports,
            io=info.io,
            interface=interface(self.program, info),
            kernel_headers=(*self.program.headers, '"s2s.h"', *signature_headers(self.program.kernels)),
            code_sections=tuple((pool.name, pool_macro(pool.name), pool.is_placed) for pool in info.code),
            prototypes=private_prototypes(self.program),
            runtime_sources="",
            usage=graph_usage(info) if self.program.graph is not None else usage(info),
            memory=memory(info),
            budgets=tuple(budgets(info)),
            facts=tuple(facts(info, size, ports, packed_functions(self.program.callbacks))),
            external=external_view(self.needs),
            devices=tuple(
                device_view(device, external_view(self.needs, device.name))
                for device in info.devices
                if device.name in self.program.devices
            ),
        )

    def _public_headers(self) -> tuple[str, ...]:
        if self.program.graph is not None:
            return ('"s2s_executor.h"',)
        of_pack = ['"s2s_pack.h"'] if self.pack is not None else []
        return (*self.program.headers, '"s2s.h"', *of_pack, *type_headers(self.program.public_types))

    def _text(self, path: str, template: str, **views: object) -> None:
        self.files[path] = fill(template, view=self.view, **views).encode()

    def _entry(self) -> None:
        """Add the file of the network: a function, or tables."""
        name = self.info.name
        own = [f'"{name}.h"', f'"{name}_kernels.h"']
        own += [header_of_constants(name, device) for device in self._owners]
        own += [f'"{name}_pack.h"'] if self.pack is not None else []
        own += self.shared.headers if self.shared is not None else []
        if self.program.graph is None:
            self._run_function(self.program.entry_unit(own))
            return
        unit = self.program.graph_unit(own)
        view = UnitView(f"{name}: tables for the graph executor", unit.headers, unit.text)
        self._text(f"src/{name}_graph.c", "unit.c.j2", unit=view)

    def _run_function(self, unit: Unit) -> None:
        """Add the file with the run function, and the header that puts its calls of kernels between hooks."""
        name, path = self.info.name, f"src/{self.info.name}.c"
        calls = calls_of(self.program, self.shared.kernels if self.shared is not None else ())
        traces = bool(calls) and self.info.profile != "misra"
        title = f"{name}: the network, kernel by kernel"
        view = UnitView(title, unit.headers, unit.text, traces=traces)
        text = fill("unit.c.j2", view=self.view, unit=view)
        self.files[path] = text.encode()
        self.calls = placed_calls(calls, text)
        if traces:
            kernels = list(dict.fromkeys(call.kernel for call in calls))
            self._text(f"src/{name}_trace.h", "trace.h.j2", hooked=hooked_calls(kernels))

    def _licences(self) -> None:
        """Add the licences of all files, in machine-readable forms."""
        self._text("LICENSES/LicenseRef-Model.txt", "LicenseRef-Model.txt.j2")
        self.files["LICENSES/Apache-2.0.txt"] = runtime_licence().encode()
        self._text("REUSE.toml", "REUSE.toml.j2")
        self.files[SBOM] = sbom(self.info, [path for path in self.files if path.startswith("runtime/")]).encode()

    def _tvm_interface(self) -> None:
        """Add the files by which C calls the network under TVM's names."""
        if self.info.interface != "tvm":
            return
        if self.info.executor == "graph":
            from s2s.emit.kernel_table import program_files

            headers = [header_of_constants(self.info.name, device) for device in self._owners]
            self.files |= program_files(self.info, self.constants, headers)
            return
        from s2s.emit.tvmgen import tvmgen_files

        for file, text in tvmgen_files(self.info, self.info.name).items():
            self.files[f"{'include' if file.endswith('.h') else 'src'}/{file}"] = text.encode()

    def _graph_files(self) -> None:
        """Add the network in TVM's formats, for the Python side of the graph executor."""
        network = self.info.graph
        if network is None:
            return
        from s2s.executor.graph_json import dump
        from s2s.executor.params import param_pieces

        self.files[f"{self.info.name}.graph.json"] = dump(network).encode()
        sources = {source.name for source in network.sources()}
        values = {array.name: array.values for array in self.constants if array.name in sources}
        self.files[f"{self.info.name}.params"] = Stream(lambda: param_pieces(values))

    def add_kernels(self) -> None:
        """Add the kernels, the header that declares them, and the headers of the user's functions that they call."""
        self.files |= {f"src/{header}": text.encode() for header, text in imports_of(self.program.kernels).items()}
        name, owners = self.info.name, {array.identifier: array.device for array in self.constants}
        self._text(f"src/{name}_kernels.h", "kernels.h.j2")
        for device in (MAIN, *self.program.devices):
            stem, where = stem_of(name, device), f" for {device}" if device != MAIN else ""
            units = self.program.kernel_units(f'"{name}_kernels.h"', device)
            for number, unit in enumerate(units, 1):
                file = f"{stem}_kernels" if len(units) == 1 else f"{stem}_kernels_{number}"
                part = "" if len(units) == 1 else f", part {number} of {len(units)}"
                named = [owner for owner in self._owners if owner in {owners.get(each) for each in unit.named}]
                headers = (*unit.headers, *(header_of_constants(name, owner) for owner in named))
                headers = (*headers, *(self.shared.headers_of_constants(unit.named) if self.shared is not None else ()))
                title = f"{name}: its kernels{where}{part}"
                view = UnitView(title, headers, unit.text, wants_optimisation=number == 1 and device == MAIN)
                self._text(f"src/{file}.c", "unit.c.j2", unit=view)

    def _callbacks(self) -> None:
        """Add the files of functions whose source is known: the user's, and each code generator's."""
        name = self.info.name
        given = [func for func in self.program.callbacks if SOURCE in func.attributes]
        for generator, device in dict.fromkeys((generator_of(func), owner_of(func)) for func in given):
            mine = [func for func in given if (generator_of(func), owner_of(func)) == (generator, device)]
            stem = "callbacks" if generator is None else generator.replace("-", "_")
            title = "functions of the user" if generator is None else f"code for {generator}"
            title += f" on {device}" if device != MAIN else ""
            headers = (f'"{name}_kernels.h"', *headers_of_sources(mine))
            view = UnitView(f"{name}: {title}", headers, "\n\n".join(texts_of(mine)))
            self._text(f"src/{stem_of(name, device)}_{stem}.c", "unit.c.j2", unit=view)

    def add_constants(self) -> None:
        """Add the constants of the network, if it has any of its own."""
        name = self.info.name
        for device in self._owners:
            where = f" for {device}" if device != MAIN else ""
            arrays = [array for array in self.constants if array.device == device]
            self._constants(f"src/{stem_of(name, device)}_weights", f"{name}: its constants{where}", arrays, self.form)

    def _add_pack(self) -> None:
        """Add the pack of weights, the function that binds it, and its bytes for the self-test."""
        if self.pack is None:
            return
        name = self.info.name
        view = self.pack.view(name, self.view.macro, self.pack.settle(self.files, self.constants, self.info))
        self._text(f"src/{name}_pack.h", "pack.h.j2", pack=view)
        self._text(f"src/{name}_pack.c", "pack.c.j2", pack=view)
        self.files[f"{name}.weights"] = self.pack.file()
        bytes = self.pack.test_array(name)
        self._constants(f"test/{name}_test_pack", f"{name}: its pack of weights", [bytes], by_size(bytes.size))

    @property
    def _owners(self) -> list[str]:
        """The devices that have constants of their own, the first one first; their kernels may belong to a tree."""
        return sorted(dict.fromkeys(array.device for array in self.constants), key=lambda device: device != MAIN)

    def add_hooks(self) -> None:
        """Add the default definitions of copies to and from each device."""
        name = self.info.name
        for device in self.program.hooked:
            unit = self.program.hook_unit([f'"{name}.h"'], device)
            title = f"{name}: the hooks of {device}, unless the project defines its own"
            view = UnitView(title, unit.headers, f"#ifndef {hooks_guard(name, device)}\n{unit.text}\n#endif")
            self._text(f"src/{name}_{device}_hooks.c", "unit.c.j2", unit=view)

    def _language(self, joint: TogetherInfo | None) -> None:
        """Add the tokeniser of a language model, and the program to talk to it."""
        view = language_view(self.info, joint)
        if view is None:
            return
        name = self.info.name
        form = by_size(sum(array.size for array in view.arrays))
        self._constants(f"src/{name}_tokens", f"{name}: the tables of its tokeniser", view.arrays, form)
        self._text(f"include/{name}_tokenizer.h", "tokenizer.h.j2", language=view)
        self._text(f"src/{name}_tokenizer.c", "tokenizer.c.j2", language=view)
        self._text(f"chat/{name}_chat.c", "chat.c.j2", language=view)

    def _constants(self, path: str, title: str, arrays: Sequence[ConstantArray], form: str) -> None:
        """Add the files `path.c` and `path.h`, and `path.c.bin` if the arrays are binary."""
        align = self.info.target.align
        placed = place(arrays, align)
        headers, memories = self.program.headers, self.info.memories
        script = script_of(self.info.name if self.shared is None else self.shared.name)
        view = constants_view(title, path.rpartition("/")[2], arrays, placed, align, headers, memories, script)
        self._text(f"{path}.h", "constants.h.j2", constants=view)
        if form == BINARY:
            self._text(f"{path}.c", "constants_incbin.c.j2", constants=view)
            self.files[f"{path}.c.bin"] = binary_file(placed)
            self.binaries.append(path)
            return
        head = fill("constants_arrays.c.j2", view=self.view, constants=view, math=need_math(arrays)).encode()
        self.files[f"{path}.c"] = c_arrays(head, arrays, align)

    def _self_test(self) -> None:
        name = self.info.name
        vectors = golden_vectors(self.info)
        arrays = [array for vector in vectors for array in vector.constants]
        if arrays:
            form = by_size(sum(array.size for array in arrays))
            self._constants(f"test/{name}_vectors", f"{name}: inputs and the outputs that belong to them", arrays, form)
        run = ""
        if self.program.graph is not None:
            arenas = first_arena(self.info), further_arenas(self.info)
            run = fill("run_graph.c.j2", view=self.view, ports=(self.info.inputs, self.info.outputs), arenas=arenas)
        self._text(f"test/{name}_test.c", "test.c.j2", test=test_view(self.info, vectors, run))

    def _runtime(self) -> None:
        self.files |= runtime_of(self.files, self.info.target)


def built(
    view: TreeView,
    files: Mapping[str, Content],
    binaries: Sequence[str],
    tests: Sequence[TestProgram],
    described: Sequence[Row],
) -> TreeView:
    """Return `view` with what build files and README say of `files`."""
    code = [path for path in files if path.endswith(".c") and not path.startswith(("test/", "chat/"))]
    sources = [path for path in code if not any(path.startswith(device.folder) for device in view.devices)]
    return replace(
        view,
        sources=tuple(sources),
        devices=tuple(
            replace(device, sources=tuple(path for path in code if path.startswith(device.folder)))
            for device in view.devices
        ),
        tests=tuple(tests),
        chats=tuple(path.removesuffix(".c") for path in files if path.startswith("chat/")),
        binaries=tuple(binaries),
        runtime_sources=" and `runtime/src/`" if any(path.startswith("runtime/") for path in sources) else "",
        files=tuple(described),
    )
