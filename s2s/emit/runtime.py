"""Find the runtime files that a tree needs: included headers, the headers these include, and their sources."""

import posixpath
import re
from collections.abc import Iterable
from functools import cache

from s2s.support.resources import runtime_files, runtime_source

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

SOURCES = {
    "s2s_executor.h": ("src/executor.c",),
    "s2s_graph.h": ("src/graph_check.c",),
    "s2s_json.h": ("src/json.c",),
    "s2s_kernels.h": ("src/kernels.c",),
    "s2s_packed.h": ("src/packed.c",),
    "s2s_params.h": ("src/params.c",),
    "s2s_pool.h": ("src/pool.c",),
    "s2s_program.h": ("src/graph_json.c", "src/json.c", "src/params.c", "src/program.c"),
}
"""The sources that define the functions of a header; every other header is self-contained."""


def included(text: str) -> set[str]:
    """Return the names of the headers that a C text includes in quotes."""
    return set(_INCLUDE.findall(text))


def needed_files(headers: Iterable[str]) -> list[str]:
    """Return the runtime paths of everything that `headers` need, sorted; headers of other libraries are ignored."""
    known = {posixpath.basename(path): path for path in runtime_files()}
    found: set[str] = set()
    open_paths = [known[header] for header in headers if header in known]
    while open_paths:
        path = open_paths.pop()
        if path in found:
            continue
        found.add(path)
        names = _included_by(path)
        open_paths += [known[name] for name in names if name in known]
        open_paths += SOURCES.get(posixpath.basename(path), ())
    return sorted(found)


@cache
def _included_by(path: str) -> frozenset[str]:
    return frozenset(included(runtime_source(path)))
