"""Modules that are files: shared libraries, objects to link, sources.

    module = load_module("net.so")
    module["default"](cpu())

A shared library that s2s has exported holds its kernels as packed functions and a blob of modules (`tvm.runtime.blob`).
"""

import ctypes
import json
import os
import tarfile
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.emit.runtime import included, needed_files
from s2s.errors import InputError, WrongValueError
from s2s.support.files import write_file
from s2s.support.resources import runtime_source
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.blob import load_blob
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.native import native
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.tvm.runtime.registry import functions_of_c, register_func
from s2s.verify.build import LoadedNetwork, load_library
from s2s.verify.toolchain import default_compiler, run_program

FUNCTION_LIBRARY = "FunctionLibrary"
"""The kind of functions of tensor expressions."""
MAX_OBJECTS = 2**31
"""Bytes of objects in one archive; more are a mistake in the file."""


class LibraryModule(Module):
    """The kernels of a shared library as packed functions: inputs, results and scratch buffers, all of them arrays.

    A library without kernels holds functions of its own (`TVMBackendPackedCFunc`), found by their symbols; what it
    registers when it is loaded is in the registry of the process.
    """

    type_key = "library"

    def __init__(self, path: str | Path) -> None:
        native()
        self.path = Path(path).resolve()
        try:
            self._library: Any = abi().dlopen(str(self.path), os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise InputError(f"{path}: cannot be loaded ({error}); link it for this machine") from error
        self._parts = self._listed()
        super().__init__(dict(row for part in self._parts for row in self._kernels(part)))

    def _listed(self) -> list[Any]:
        """What was linked into the library, each with its kernels and modules."""
        ffi = abi()
        try:
            listed: Any = self._library.s2s_libraries
        except AttributeError:  # a library that s2s has not exported
            return []
        count = ffi.new("uint32_t *")
        parts = listed(count)
        return [parts[number] for number in range(count[0])]

    def _kernels(self, part: Any) -> Iterator[tuple[str, PackedFunc]]:
        ffi = abi()
        for number in range(part.num_kernels):
            row = ffi.addressof(part.kernels[number])
            name = bytes(ffi.string(row.name)).decode()
            pointer = ffi.new("s2s_function *", {"call": native().s2s_call_kernel, "resource": ffi.cast("void *", row)})
            yield name, PackedFunc.of_c(pointer, name, self._library)

    def find(self, name: str, query_imports: bool = False) -> PackedFunc | None:
        """The kernel of a name, or in a library without kernels the function of this symbol."""
        if self._parts:
            return super().find(name, query_imports)
        return packed_symbol(ctypes.CDLL(str(self.path)), name, self) or super().find(name, query_imports)

    def adopt(self, modules: Sequence[Module]) -> None:
        """Have the functions of modules that were linked together, and import what they import besides their code."""
        for module in modules:
            self._functions |= {name: module[name] for name in module.function_names()}
            for other in module.imported_modules:
                if other is not self and not isinstance(other, MetadataModule):
                    self.import_module(other)

    @property
    def blobs(self) -> list[bytes]:
        """The modules that are packed into the library, of each of its parts that has any."""
        blobs = [bytes(abi().buffer(part.blob, part.blob_size)) for part in self._parts]
        return [blob for blob in blobs if blob]

    def save(self, file_name: str, fmt: str = "") -> None:
        """Copy the library."""
        write_file(file_name, self.path.read_bytes())


def packed_symbol(library: ctypes.CDLL, name: str, owner: object) -> PackedFunc | None:
    """The packed function that a library defines under a symbol, None where it defines none."""
    try:
        address = ctypes.cast(library[name], ctypes.c_void_p).value
    except AttributeError:
        return None
    pointer = abi().new("s2s_function *", {"call": abi().cast("s2s_packed_call", address)})
    return PackedFunc.of_c(pointer, name, owner)


class StaticLibrary(Module):
    """An object file with functions of these names, which `export_library` of a function links."""

    type_key = "static_library"

    def __init__(self, content: bytes, functions: Sequence[str]) -> None:
        super().__init__()
        self._content, self._names = content, list(functions)

    def function_names(self) -> list[str]:
        """The names of the functions."""
        return self._names

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """Whether there is a function of that name."""
        return name in self._names or super().implements_function(name, query_imports)

    def find(self, name: str, query_imports: bool = False) -> PackedFunc | None:
        """A function of another module; objects cannot be called before they are linked."""
        if name in self._names:
            raise InputError(f"static library: {name}: is called when it is linked; export the library that imports it")
        return super().find(name, query_imports)

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write the object file."""
        write_file(file_name, self._content)


def load_static_library(path: str | Path, func_names: Sequence[str]) -> Module:
    """An object file that `save` has written, for a function that imports and exports it."""
    try:
        return StaticLibrary(Path(path).read_bytes(), func_names)
    except OSError as error:
        raise InputError(f"load_static_library {path}: {error.strerror}; give what save has written") from error


class SourceModule(Module):
    """C source."""

    type_key = "c"

    def __init__(self, source: str, functions: Mapping[str, Callable[..., Any]] | None = None) -> None:
        super().__init__(functions)
        self._source = source

    def get_source(self, fmt: str = "") -> str:
        """The source."""
        return self._source

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write the source."""
        write_file(file_name, self._source)

    def save_to_binary(self) -> bytes:
        """The source."""
        return self._source.encode()


class ExternalModule(SourceModule):
    """C source of packed functions (`TVMBackendPackedCFunc`) that another code generator has written, compiled when the
    module is made."""

    type_key = "external"

    def __init__(self, source: str, functions: Sequence[str], options: Sequence[str] = ()) -> None:
        super().__init__(source)
        self._options = tuple(options)
        native()
        with tempfile.TemporaryDirectory(prefix="s2s-external-") as folder:
            root = Path(folder)
            for path in needed_files(included(source)):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(runtime_source(path), encoding="utf-8")
            (root / "external.c").write_text(source, encoding="utf-8")
            include = ("-O2", f"-I{root / 'include'}", *options)
            create_shared(root / "external.so", [root / "external.c"], include)
            self._library = ctypes.CDLL(str(root / "external.so"), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self._functions = {name: self._packed(name) for name in functions}

    def _packed(self, name: str) -> PackedFunc:
        function = packed_symbol(self._library, name, self)
        if function is None:
            raise InputError(f"external module: its source defines no function {name!r}; correct the name")
        return function

    def save_to_binary(self) -> bytes:
        """Source, names of functions, and options of the compiler."""
        described = {"source": self.get_source(), "functions": self.function_names(), "options": self._options}
        return json.dumps(described).encode()


class SystemLibrary(Module):
    """The functions that C has added to the registry of the process, and functions of tensor expressions that were
    built for a `Runtime` with `system-lib`, in the shared libraries of the process."""

    type_key = "system_lib"

    def function_names(self) -> list[str]:
        """The names of these functions."""
        return [*functions_of_c(), *(name for module in _system_modules() for name in module.function_names())]

    def find(self, name: str, query_imports: bool = False) -> PackedFunc | None:
        """The function of a name, None where there is none."""
        if (function := functions_of_c().get(name)) is not None:
            return function
        linked = (module.find(name) for module in _system_modules())
        return next((packed for packed in linked if packed is not None), None) or super().find(name, query_imports)


def _system_modules() -> list[Module]:
    """The functions of tensor expressions of the process that are part of the system library."""
    listed = Path("/proc/self/maps")
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else []
    paths = dict.fromkeys(words[-1] for line in lines if (words := line.split(maxsplit=5))[-1].endswith(".so"))
    for path in paths:
        if path not in _searched:
            _searched[path] = _system_modules_of(path)
    return [module for path in paths for module in _searched[path]]


_searched: dict[str, list[Module]] = {}
"""The functions of shared libraries of the process."""


def _system_modules_of(path: str) -> list[Module]:
    try:
        ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)["s2s_libraries"]
    except (OSError, AttributeError):  # another library
        return []
    library = LibraryModule(path)
    modules = [load_blob(blob, library) for blob in library.blobs]
    return [module for module in modules if module.type_key == FUNCTION_LIBRARY and module.is_system]


@register_func("runtime.SystemLib")
def system_lib() -> Module:
    """The module of all functions that are linked into the process and registered there."""
    return SystemLibrary()


class MetadataModule(SourceModule):
    """The record of the tree that a library was compiled from, as JSON text: its ports, sizes and flags."""

    type_key = "metadata"

    @staticmethod
    def of(record: Mapping[str, Any]) -> "MetadataModule":
        """The module of a record."""
        return MetadataModule(json.dumps(record))

    @property
    def record(self) -> Mapping[str, Any]:
        """The record."""
        return json.loads(self.get_source())


def loaded_network(module: Module, name: str) -> LoadedNetwork:
    """Return the network of the library that a module imports, as the record in its metadata describes it."""
    library = next((imported for imported in module.imported_modules if isinstance(imported, LibraryModule)), None)
    metadata = next((imported for imported in module.imported_modules if isinstance(imported, MetadataModule)), None)
    if library is None or metadata is None:
        raise InputError(f"{name}: its code or the metadata of this are missing; import both modules")
    return load_library(library.path, metadata.record)


@register_func("runtime.module.loadbinary_c")
def _load_source(data: bytes) -> Module:
    return SourceModule(data.decode())


@register_func("runtime.module.loadbinary_external")
def _load_external(data: bytes) -> Module:
    described = json.loads(data)
    return ExternalModule(described["source"], described["functions"], described["options"])


@register_func("runtime.module.loadbinary_metadata")
def _load_metadata(data: bytes) -> Module:
    return MetadataModule(data.decode())


def load_module(path: str | Path, fmt: str = "") -> Module:
    """Load what `export_library` and `save` have written: a shared library (`.so`), or objects (`.tar`, `.o`), which
    are linked first."""
    file = Path(path)
    if not file.is_file():
        raise WrongValueError(f"{path}: there is no such file; give what export_library has written")
    kind = fmt or file.suffix.lstrip(".")
    if kind == "so":
        return _load_library(file)
    folder = tempfile.TemporaryDirectory(prefix="s2s-module-")
    module = _load_library(linked_library(file, Path(folder.name), fmt))
    weakref.finalize(module, folder.cleanup)
    return module


def linked_library(file: Path, folder: Path, fmt: str = "") -> Path:
    """Link objects (`.tar`, `.o`) to a shared library in a folder, and return its path."""
    kind = fmt or file.suffix.lstrip(".")
    if kind not in ("tar", "o", "obj"):
        raise InputError(f"{file}: a module is loaded from .so, .tar or .o; export it as one of these")
    linked = folder / "module.so"
    create_shared(linked, _objects(file, folder) if kind == "tar" else [file])
    return linked


for _kind in ("o", "so", "tar"):
    register_func(f"runtime.module.loadfile_{_kind}", load_module)


def _load_library(path: Path) -> Module:
    """The module that a library holds.

    Of several that were linked together it is one that imports all, and has those functions that one of them alone has;
    functions of tensor expressions are the library's own.
    """
    library = LibraryModule(path)
    modules = [load_blob(blob, library) for blob in library.blobs]
    if not modules:
        return library
    if len(modules) == 1:
        return modules[0]
    if all(module.type_key == FUNCTION_LIBRARY for module in modules):
        library.adopt(modules)
        return library
    counts = Counter(name for module in modules for name in module.function_names())
    joined = Module({name: module[name] for module in modules for name in module.function_names() if counts[name] == 1})
    for module in modules:
        joined.import_module(module)
    return joined


def _objects(archive: Path, folder: Path) -> list[Path]:
    """Write the objects of an archive into a folder."""
    objects: list[Path] = []
    left = MAX_OBJECTS
    try:
        with tarfile.open(archive) as opened:
            for entry in opened:
                left -= entry.size
                content = opened.extractfile(entry) if entry.isfile() and left >= 0 else None
                if content is None or not entry.name.endswith(".o"):
                    raise InputError(f"{archive}: {entry.name}: is no object file; export the module again")
                objects.append(folder / f"{len(objects)}.o")
                objects[-1].write_bytes(content.read())
    except tarfile.TarError as error:
        raise InputError(f"{archive}: is no archive ({error}); export the module again") from error
    return objects


def create_shared(
    output: str | Path,
    objects: Sequence[str | Path] | str | Path,
    options: Sequence[str] | None = None,
    cc: str | None = None,
) -> None:
    """Compile and link C files and objects to a shared library."""
    compiler = (cc,) if cc is not None else default_compiler()
    files = [Path(file).resolve() for file in ([objects] if isinstance(objects, str | Path) else objects)]
    run_program([*compiler, "-shared", "-fPIC", *(options or ()), "-o", Path(output).resolve(), *files, "-lm"])
