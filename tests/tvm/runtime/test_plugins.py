"""A plugin in C: a shared library that registers functions when it is loaded, at any time of the process."""

import subprocess
import sys
from pathlib import Path

import pytest

from s2s import tvm
from support.c_compilers import require, run

PLUGIN = """#include "s2s_tvm.h"

int plugin_twice(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource);

int plugin_twice(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource)
{
    (void)resource;
    if (count != 1 || codes[0] != S2S_ARG_INT) {
        TVMAPISetLastError("plugin.twice: takes one integer");
        return -1;
    }
    ret->v_int64 = 2 * args[0].v_int64;
    *ret_code = S2S_ARG_INT;
    return 0;
}

__attribute__((constructor)) static void register_functions(void)
{
    s2s_function twice = {plugin_twice, NULL, NULL};

    (void)TVMFuncRegisterGlobal("plugin.twice", &twice, 1);
}
"""
FIRST = """import sys
from s2s import tvm
LOAD
assert tvm.get_global_func("plugin.twice")(21) == 42
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, whose undefined names are those of the runtime."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "plugin.c").write_text(PLUGIN)
    include = f"-I{tvm.micro.get_standalone_crt_dir()}/include"
    run(
        [require("gcc"), "-std=c99", "-Wall", "-Werror", "-shared", "-fPIC", include, "plugin.c", "-o", "plugin.so"],
        folder,
    )
    return folder / "plugin.so"


@pytest.mark.parametrize(
    "load",
    [
        "tvm.runtime.load_module(sys.argv[1])",
        "import ctypes; from s2s.tvm._ffi.base import _LIB; ctypes.CDLL(sys.argv[1])",
    ],
)
def test_it_is_the_first_of_a_process(load: str, plugin: Path) -> None:
    subprocess.run([sys.executable, "-c", FIRST.replace("LOAD", load), plugin], check=True)


def test_it_comes_after_other_functions(plugin: Path) -> None:
    tvm.register_func("plugin.before", abs, override=True)
    module = tvm.runtime.load_module(plugin)
    twice = tvm.get_global_func("plugin.twice")
    assert twice is not None
    assert twice(4) == 8
    assert module["plugin_twice"](5) == 10
    with pytest.raises(tvm.TVMError, match=r"plugin\.twice: takes one integer"):
        module["plugin_twice"]("five")
    assert not module.implements_function("nothing")
