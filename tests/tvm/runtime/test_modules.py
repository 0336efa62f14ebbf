"""Modules, their imports, and how they are packed into a library."""

import operator
import struct
from pathlib import Path

import pytest

from s2s.errors import InputError
from s2s.tvm.contrib.cc import create_shared
from s2s.tvm.runtime import Module, register_func, remove_global_func
from s2s.tvm.runtime.blob import load_blob, save_blob
from s2s.tvm.runtime.library import ExternalModule, MetadataModule, SourceModule


def one() -> int:
    return 1


def two() -> int:
    return 2


def tree() -> tuple[Module, Module]:
    """A module that imports a library and a source, which both import one more; and the library."""
    root, library, source, shared = MetadataModule("{}"), Module({"one": one}), SourceModule("int x;"), SourceModule("")
    root.import_module(library)
    root.import_module(source)
    library.import_module(shared)
    source.import_module(shared)
    return root, library


def test_functions_are_found_by_name():
    module, other = Module({"one": one, "start": two}, entry="start"), Module({"three": lambda: 3})
    module.import_module(other)
    assert module["one"]() == 1
    assert module() == module.entry_func() == module["__tvm_main__"]() == 2
    assert module.get_function("three", query_imports=True)() == 3
    assert module.imported_modules == [other]
    assert not module.implements_function("three")
    with pytest.raises(InputError, match="function 'three': the module has none of this name; it has one, start"):
        module["three"]
    with pytest.raises(InputError, match="none of its functions is its entry"):
        _ = Module({"one": one, "two": two}).entry_func


def test_imports_do_not_go_in_a_circle():
    first, second = Module(), Module()
    first.import_module(second)
    with pytest.raises(InputError, match="in a circle"):
        second.import_module(first)


def test_time_evaluator_measures():
    result = Module({"one": one}).time_evaluator("one", number=3, repeat=4)()
    assert len(result.results) == 4
    assert result.mean > 0


def test_time_evaluator_prepares_each_repetition():
    given: list[int] = []
    register_func("test.prepare", given.append)
    try:
        module = Module({"negative": operator.neg})
        timed = module.time_evaluator(
            "negative", number=2, repeat=3, cache_flush_bytes=1 << 16, f_preproc="test.prepare"
        )
        timed(7)
    finally:
        remove_global_func("test.prepare")
    assert given == [7, 7, 7]


def test_external_modules_are_packed_and_compiled_again():
    source = """
#include "s2s_packed.h"
int seven(s2s_value *a, int *c, int n, s2s_value *r, int *rc, void *s)
{
    (void)a, (void)c, (void)n, (void)s;
    r->v_int64 = SEVEN;
    *rc = S2S_ARG_INT;
    return 0;
}
"""
    module = ExternalModule(source, ["seven"], ["-DSEVEN=7"])
    assert module["seven"]() == 7
    root, library = MetadataModule("{}"), Module()
    root.import_module(module)
    again = load_blob(save_blob(root, library), library)
    assert again.imported_modules[0].type_key == "external"
    assert again.get_function("seven", query_imports=True)() == 7


def test_a_function_that_an_external_module_lacks_is_refused():
    with pytest.raises(InputError, match="external module: its source defines no function 'eight'; correct the name"):
        ExternalModule("int seven(void); int seven(void) { return 7; }", ["eight"])


def test_blob_is_in_the_layout_of_tvm():
    root, library = MetadataModule("{}"), Module()
    root.import_module(library)

    def text(value: bytes) -> bytes:
        return struct.pack("<Q", len(value)) + value

    entries = text(b"metadata") + text(b"{}") + text(b"_lib") + text(b"_import_tree")
    tree = struct.pack("<4Q", 3, 0, 1, 1) + struct.pack("<2Q", 1, 1)
    body = struct.pack("<Q", 3) + entries + tree
    assert save_blob(root, library) == struct.pack("<Q", len(body)) + body


def test_blob_keeps_the_imports():
    root, library = tree()
    loaded = Module({"one": one})
    again = load_blob(save_blob(root, library), loaded)
    assert again.type_key == "metadata"
    assert again.imported_modules[0] is loaded
    assert again.imported_modules[1].get_source() == "int x;"
    assert loaded.imported_modules[0] is again.imported_modules[1].imported_modules[0]
    assert again.get_function("one", query_imports=True)() == 1


def test_kinds_of_users_are_loaded_by_their_functions():
    class Mine(Module):
        type_key = "mine"

        def save_to_binary(self) -> bytes:
            return b"data"

    library = Module()
    blob = save_blob(Mine(), library)
    with pytest.raises(InputError, match=r"register 'runtime\.module\.loadbinary_mine'"):
        load_blob(blob, library)

    @register_func("runtime.module.loadbinary_mine")
    def load(data: bytes) -> Module:
        assert data == b"data"
        return Mine()

    try:
        assert load is not None
        assert isinstance(load_blob(blob, library), Mine)
    finally:
        remove_global_func("runtime.module.loadbinary_mine")


def test_damaged_blobs_are_refused():
    root, library = tree()
    blob = save_blob(root, library)
    for size in range(len(blob)):
        with pytest.raises(InputError, match="library"):
            load_blob(blob[:size], Module())
    for at in range(8, len(blob), 8):
        damaged = blob[:at] + b"\xff" * 8 + blob[at + 8 :]
        with pytest.raises(InputError):
            load_blob(damaged, Module())


def test_source_modules_are_saved(tmp_path: Path):
    module = SourceModule("int seven(void) { return 7; }\n")
    module.save(str(tmp_path / "seven.c"))
    create_shared(tmp_path / "seven.so", [tmp_path / "seven.c"])
    assert (tmp_path / "seven.so").read_bytes()[:4] == b"\x7fELF"
    assert module.get_source().startswith("int seven")
