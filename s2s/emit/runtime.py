"""Find the runtime files that a tree needs: included headers, the headers these include, and their sources."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache

from s2s.emit.stream import Content
from s2s.support.resources import runtime_files, runtime_source
from s2s.targets import Target

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

SOURCES = {
    "s2s_executor.h": ("src/executor.c",),
    "s2s_graph.h": ("src/graph_check.c",),
    "s2s_json.h": ("src/json.c",),
    "s2s_kernels.h": ("src/kernels.c",),
    "s2s_library.h": ("src/library.c",),
    "s2s_pack.h": ("src/pack.c",),
    "s2s_packed.h": ("src/packed.c",),
    "s2s_params.h": ("src/params.c",),
    "s2s_pool.h": ("src/pool.c",),
    "s2s_sampler.h": ("src/sampler.c",),
    "s2s_tokenizer.h": ("src/tokenizer.c",),
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


def runtime_of(files: Mapping[str, Content], target: Target) -> dict[str, Content]:
    """Return the files of the runtime that `files` include."""
    texts = [content for path, content in files.items() if path.endswith((".c", ".h"))]
    headers = {header for content in texts for header in included(_beginning(content))}
    brought = {each.header: each.source for each in target.intrinsics if each.source}
    found: dict[str, Content] = {}
    for header in sorted(headers & set(brought)):
        found[f"runtime/include/{header}"] = brought[header].encode()
        headers |= included(brought[header])
    return found | {f"runtime/{path}": runtime_source(path).encode() for path in needed_files(headers)}


def _beginning(content: Content) -> str:
    """Return the beginning of a file up to its data, which contains the includes."""
    return content.decode() if isinstance(content, bytes) else next(iter(content)).decode()
