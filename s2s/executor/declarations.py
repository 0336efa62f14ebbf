"""What cffi has to know of the graph executor, taken from the runtime's own headers.

cffi reads plain declarations: no preprocessor, no function bodies. The headers of `runtime_c` are written so that they
can be stripped to that, and stay the only place where a type of the executor is declared.
"""

import re
from functools import cache

from s2s.support.resources import runtime_source

HEADERS = ("s2s.h", "s2s_tensor.h", "s2s_graph.h", "s2s_executor.h")

SOURCES = ("src/executor.c", "src/graph_check.c")
"""Files of the runtime that define what is declared."""

_NOT_DECLARATIONS = re.compile(
    r"""
    ^\#ifdef[ ]__cplusplus\n.*?^\#endif\n  # braces of extern "C"
    | ^\#(?:[^\n]*\\\n)*[^\n]*\n           # other directives, with their further lines
    | ^S2S_INLINE[ ].*?^}\n                # functions with a body
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_PHRASE = re.compile(r'case (S2S_\w+): return "(.*)";')


def graph_symbol(model: str) -> str:
    """The C name of the tables of a model."""
    return f"{model}_graph"


def executor_declarations(model: str) -> str:
    """Declarations for `ffi.cdef`: the executor, and the tables of `model`.

    The tables are const in C, not here: cffi takes a const variable for a constant, whose value it wants to know.
    """
    return f"{declarations_of(HEADERS)}\nextern s2s_graph {graph_symbol(model)};\n"


@cache
def declarations_of(headers: tuple[str, ...]) -> str:
    """The declarations of headers of the runtime, for `ffi.cdef`; each header after the ones that it includes."""
    texts = (runtime_source(f"include/{header}") for header in headers)
    return "".join(_NOT_DECLARATIONS.sub("", text) for text in texts)


@cache
def status_phrases() -> dict[str, str]:
    """What each status means, by its name in C."""
    return dict(_PHRASE.findall(runtime_source("include/s2s.h")))
