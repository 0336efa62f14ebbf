"""`--format single`: one header and one C file that hold the whole tree.

An `#include "…"` of a file of the tree is replaced by the file. A header with a guard is taken once; where an include
stands inside of an `#if` other than such a guard it may not be compiled, so the header is taken there, and again where
it is included next: its guard sorts that out.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from s2s.errors import InputError
from s2s.packagings.description import TreeDescription

_INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
_IF = re.compile(r"\s*#\s*if")
_ENDIF = re.compile(r"\s*#\s*endif")
_DIRECTIVE = re.compile(r"^#", re.MULTILINE)
_GUARD = re.compile(r"#ifndef (\w+)\n#define \1\n")
CALLERS = ("s2s_arena.h", "s2s_executor.h")
"""Headers of the runtime that a caller of the network may want, beside its own."""


def single(tree: TreeDescription) -> dict[str, bytes]:
    """`<name>.h`, `<name>.c`, and the self-test beside them."""
    if any(path.endswith(".c.bin") for path in tree.library):
        raise InputError("--format single: the weights are a binary file; compile the network with --weights arrays")
    writer = _Amalgamation(tree)
    public = [f"{tree.name}.h", *(name for name in CALLERS if name in writer.known)]
    header = [f"/* {tree.summary}, in one header and one C file. */", *writer.inlined(public)]
    source = [f"/* {tree.summary}; flags: {' '.join(tree.flags)}. */", f'#include "{tree.name}.h"']
    for path in sorted(tree.sources, key=lambda path: (path.startswith("runtime/"), "_weights" not in path, path)):
        source += writer.text(tree.text(path), path)
    test = "\n".join(line for path in tree.test_sources for line in writer.text(tree.text(path), path))
    return {
        f"{tree.name}.h": _joined(header),
        f"{tree.name}.c": _joined(source),
        f"{tree.name}_test.c": _joined([f'#include "{tree.name}.h"', *CALLED_BY_TEST, test]),
        **tree.copied([*tree.pack, *tree.licences]),
    }


CALLED_BY_TEST = ("#include <stdbool.h>", "#include <stdint.h>")


def _joined(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


class _Amalgamation:
    """Replaces includes by the included files, each once."""

    def __init__(self, tree: TreeDescription) -> None:
        self.known = {
            PurePosixPath(path).name: tree.text(path)
            for path in (*tree.headers, *(path for path in tree.files if path.endswith(".h") and path[:5] == "test/"))
        }
        self.taken: set[str] = set()

    def inlined(self, names: Iterable[str]) -> list[str]:
        """Headers one after the other."""
        return [line for name in names for line in self._header(name, certain=True)]

    def text(self, content: str, title: str, *, certain: bool = True) -> list[str]:
        """Return a file with its includes replaced; `certain` if no condition can exclude it from compilation."""
        lines, depth = [f"/* {title} */"], 0
        guard = 1 if _is_guarded(content) else 0
        for line in content.splitlines():
            depth += bool(_IF.match(line)) - bool(_ENDIF.match(line))
            found = _INCLUDE.match(line)
            if found is None or found.group(1) not in self.known:
                lines.append(line)
            else:
                lines += self._header(found.group(1), certain=certain and depth <= guard)
        return lines

    def _header(self, name: str, *, certain: bool) -> list[str]:
        if name in self.taken:
            return []
        content = self.known[name]
        if _is_guarded(content) and certain:
            self.taken.add(name)
        return self.text(content, name, certain=certain)


def _is_guarded(content: str) -> bool:
    """Whether the first directive of a file is its guard."""
    found = _DIRECTIVE.search(content)
    return found is not None and _GUARD.match(content, found.start()) is not None
