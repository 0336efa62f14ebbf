"""State the deviations from MISRA C:2012 of trees of the profile `misra`, with reasons.

The rules' categories are those of MISRA C:2012 (third edition, first revision, 2019); the tree's MISRA.md prints them.
"""

from collections.abc import Mapping
from typing import NamedTuple

_ADVISORY = {
    1: (5,),
    2: (3, 4, 5, 6, 7, 8),
    4: (2,),
    5: (9,),
    8: (7, 9, 11, 13, 16, 17),
    10: (5,),
    11: (4, 5),
    12: (1, 3, 4),
    13: (3, 4),
    15: (1, 4, 5),
    17: (5, 8, 11, 12),
    18: (4, 5),
    19: (2,),
    20: (1, 5, 10),
    21: (12,),
    23: (1, 3, 5, 7),
}
ADVISORY = frozenset(f"{section}.{number}" for section, numbers in _ADVISORY.items() for number in numbers)
"""Rules that are advisory; the others are mandatory or required."""


class Deviation(NamedTuple):
    """A rule that is deliberately not followed."""

    category: str
    rule: str
    """The rule in one phrase."""
    reason: str


DEVIATIONS: Mapping[str, Deviation] = {
    "9.3": Deviation(
        "required",
        "Arrays shall not be partially initialised",
        "A finding of the checker alone: the variable is a structure that a function returns, and no array is "
        "initialised.",
    ),
    "20.7": Deviation(
        "required",
        "Expressions resulting from the expansion of macro parameters shall be enclosed in parentheses",
        "`S2S_UNROLL` of `s2s_config.h`: its argument is part of a pragma, which takes no parentheses. This profile "
        "defines the macro as nothing before that line.",
    ),
}
"""Required rules that emitted trees deviate from, by number."""

ADVISED: Mapping[str, str] = {
    "2.3": "Types of the runtime's headers that one network does not need are there for others.",
    "2.5": "Macros of sizes, offsets and budgets are there for callers; a program uses those that it needs.",
    "2.7": "A parameter that one form of a function does not need keeps its place for the other form.",
    "10.5": "The result of a comparison is converted to a number, so that selections need no branch.",
    "11.5": "A network that another one runs takes its arena as bytes.",
    "12.1": "Products bind tighter than sums, comparisons tighter than `&&`; parentheses stand where readers pause.",
    "12.3": "No comma operator is used; the checker takes initialisers and macros for it.",
    "13.3": "Pointers of inner loops advance in the expression that reads through them.",
    "15.5": "What a function cannot work on is refused at its beginning, by a return of its own.",
    "17.8": "Counters and pointers that are parameters are counted down in place.",
    "18.4": "Kernels advance pointers by whole rows; indices from one base would be longer than the rows.",
    "19.2": "The arena is a union: buffers that live at different times share their bytes, which is its purpose. No "
    "member is read that was not written as that member last.",
    "20.1": "`s2s_math.h` includes the functions of one integer type again for each type.",
    "20.5": "The macros that describe that type are undefined after each inclusion.",
    "20.10": "The names of those functions are pasted from the type's name.",
}
"""Advisory rules that emitted trees do not follow, by number, with the reason."""
