"""The C side of packed functions in this process: the registry and the last error, built when first needed.

The library is loaded so that libraries loaded after it find its functions: a kernel that asks the registry for a
function gets what Python has registered.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from s2s.support.resources import runtime_files, runtime_source
from s2s.tvm.runtime.abi import abi
from s2s.verify.toolchain import default_compiler, run_program

SOURCES = tuple(f"src/{name}.c" for name in ("packed", "kernels", "json", "graph_json", "params", "program"))


_loaded: list[Any] = []
"""The library, once it is loaded."""
_hooks: list[Callable[[Any], None]] = []


def when_loaded(hook: Callable[[Any], None]) -> None:
    """Call `hook` with the library when it is loaded."""
    _hooks.append(hook)
    for library in _loaded:
        hook(library)


def loaded() -> Any | None:
    """The library if something has needed it, None until then."""
    return _loaded[0] if _loaded else None


def native() -> Any:
    """The library; it is built and loaded by the first call."""
    if not _loaded:
        library = _built()
        _loaded.append(library)
        for hook in _hooks:
            hook(library)
    return _loaded[0]


def _built() -> Any:
    with tempfile.TemporaryDirectory(prefix="s2s-runtime-") as folder:
        root = Path(folder)
        for path in (*SOURCES, *(path for path in runtime_files() if path.endswith(".h"))):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(runtime_source(path), encoding="utf-8")
        command = [*default_compiler(), "-std=c99", "-O2", "-fPIC", "-shared", "-Iinclude"]
        run_program([*command, *SOURCES, "-o", "runtime.so"], cwd=root)
        return abi().dlopen(str(root / "runtime.so"), os.RTLD_NOW | os.RTLD_GLOBAL)


def last_error() -> str:
    """The message of the last error of C in this thread."""
    return bytes(abi().string(native().s2s_get_last_error())).decode(errors="replace")


def set_last_error(message: str) -> None:
    """Set the message that C finds."""
    native().s2s_set_last_error(abi().new("char[]", message.replace("\0", "").encode()))
