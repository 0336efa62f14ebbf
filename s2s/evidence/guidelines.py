"""The guidelines of MISRA C by number and category, and how this project enforces each one.

The numbers are those of MISRA C:2012 with its amendments 1 to 4, which MISRA C:2023 keeps: 21 directives and 200 rules.
What a guideline says stands in MISRA's documents; the words here are the project's own.
"""

from collections.abc import Iterator, Mapping

from s2s.emit.misra import ADVISORY
from s2s.support.frozen import frozen

RULES = dict(
    zip(range(1, 24), (5, 8, 2, 2, 9, 3, 6, 17, 7, 8, 10, 6, 6, 4, 7, 7, 13, 10, 2, 14, 26, 20, 8), strict=True)
)
"""The number of rules of each section."""
OF_2012 = dict(zip(range(1, 24), (3, 7, 2, 2, 9, 2, 4, 14, 5, 8, 9, 4, 6, 4, 7, 7, 8, 8, 2, 14, 12, 6, 0), strict=True))
"""The number of them in the edition of 2012; the others came with amendments."""
DIRECTIVES = {1: 1, 2: 1, 3: 1, 4: 15, 5: 3}
DIRECTIVES_OF_2012 = {1: 1, 2: 1, 3: 1, 4: 13, 5: 0}
ADVISORY_DIRECTIVES = frozenset({"4.2", "4.4", "4.5", "4.6", "4.8", "4.9", "4.13"})
_MANDATORY = {
    7: (5,),
    9: (1, 7),
    12: (5,),
    13: (6,),
    17: (3, 4, 6, 9),
    18: (10,),
    19: (1,),
    21: (13, 17, 18, 19, 20, 22),
    22: (2, 4, 5, 6, 12, 14, 20),
}
MANDATORY = frozenset(f"{section}.{number}" for section, numbers in _MANDATORY.items() for number in numbers)
TOPICS: Mapping[int, str] = {
    1: "language and its version",
    2: "code without purpose",
    3: "comments",
    4: "characters and escapes",
    5: "distinct names",
    6: "bit-fields",
    7: "literals",
    8: "declarations and definitions",
    9: "initialisation",
    10: "essential types",
    11: "conversion of pointers",
    12: "expressions",
    13: "side effects",
    14: "conditions and loops",
    15: "flow of control",
    16: "switch",
    17: "functions",
    18: "pointers and arrays",
    19: "storage that overlaps",
    20: "preprocessor",
    21: "standard library",
    22: "resources",
    23: "generic selections",
}
DIRECTIVE_TOPICS: Mapping[int, str] = {
    1: "implementation",
    2: "build",
    3: "requirements",
    4: "design",
    5: "concurrency",
}
_CPPCHECK: Mapping[int, str] = {
    1: "4",
    2: "2 3 4 5 7",
    3: "1 2",
    4: "1 2",
    5: "1 2 4 5 6 7 8 9",
    6: "1 2",
    7: "1 2 3 4",
    8: "1 2 4 5 6 7 8 9 10 11 12 14",
    9: "2 3 4 5",
    10: "1 2 3 4 5 6 7 8",
    11: "1 2 3 4 5 6 7 8 9",
    12: "1 2 3 4",
    13: "1 3 4 5 6",
    14: "1 2 4",
    15: "1 2 3 4 5 6 7",
    16: "1 2 3 4 5 6 7",
    17: "1 2 3 6 7 8",
    18: "4 5 7 8",
    19: "2",
    20: "1 2 3 4 5 7 8 9 10 11 12 13 14",
    21: "1 2 3 4 5 6 7 8 9 10 11 12 14 15 16 19 20 21",
    22: "5 7 8 9 10",
}
CHECKED = frozenset(f"{section}.{rule}" for section, rules in _CPPCHECK.items() for rule in rules.split())
"""Rules that the MISRA addon of cppcheck 2.10 looks at."""
COMPILED: Mapping[str, str] = {
    "1.1": "-std=c99 -pedantic -Werror",
    "1.2": "-std=c99 -pedantic -Werror; extensions stand behind #if in the runtime's headers",
    "2.1": "-Wall -Wextra -Werror",
    "2.6": "-Wunused-label",
    "5.3": "-Wshadow",
    "8.3": "-Wall -Werror; each function has one declaration, in a header that its definition includes",
    "8.13": "-Wcast-qual; the printer marks pointers that are only read as const",
    "9.1": "-Wall -Wuninitialized, and the sanitizers",
    "17.4": "-Wreturn-type",
    "18.1": "the proof (proof.json) where it is complete, and the address sanitizer",
    "18.2": "the proof (proof.json) where it is complete: each pointer stays in its object",
    "18.3": "the proof (proof.json) where it is complete",
    "18.6": "-Wreturn-local-addr; no address of a local variable outlives its function",
}
CONSTRUCTION: Mapping[str, str] = {
    "1.3": "the dialect `c` prints no operation that C99 leaves undefined for values within proven bounds; sanitizers",
    "1.5": "the printer knows no obsolescent feature",
    "2.8": "the printer declares a variable where a value needs it",
    "6.3": "no bit-fields",
    "7.5": "integer constants of the macros of <stdint.h> are not printed",
    "7.6": "integer constants of the macros of <stdint.h> are not printed",
    "8.15": "alignment is stated at the one definition of an object",
    "8.16": "no alignment of zero is printed",
    "8.17": "one alignment specifier an object",
    "9.6": "designators of chained members are not printed",
    "9.7": "no atomic objects",
    "11.10": "no atomic objects",
    "12.5": "no parameter of array type is measured by sizeof",
    "12.6": "no atomic objects",
    "13.2": "one side effect a statement",
    "14.3": "loops and conditions that are constant are folded before printing",
    "17.5": "sizes of arrays stand in the prototypes, and calls pass buffers of the plan",
    "17.9": "no function is declared to have no return",
    "17.10": "no function is declared to have no return",
    "17.11": "no function is declared to have no return",
    "17.12": "functions are only called, never taken as values",
    "17.13": "no type of a function is qualified",
    "18.9": "no array of a temporary object",
    "18.10": "no arrays of variable length",
    "19.1": "objects are not assigned to objects that overlap them",
    "20.6": "no directive stands in the arguments of a macro",
}
NO_SUCH = {
    21: "the library is called for mathematics and copies of memory only: no input, output, signals, time or threads",
    22: "no heap, no files, no errno, no threads",
    23: "no generic selections",
}
"""Sections whose features emitted C does not use."""
DIRECTED: Mapping[str, str] = {
    "1.1": "docs/how-to/prove.md lists the choices of implementations that are relied on: right shifts of negative "
    "numbers and conversions to signed types, and profile misra avoids both",
    "2.1": "builds of the document `compilers`",
    "3.1": "document `traceability`: each kernel to its node of the model",
    "4.1": "bounds of sums and indices are proved at compile time; sanitizers; arguments are checked",
    "4.2": "inline assembly stands in headers of the runtime only, with comments",
    "4.3": "inline assembly is inside of functions of its own",
    "4.4": "comments hold formulas and places, never C that is out of use; by review",
    "4.5": "names come from the model, made distinct in their first 31 characters; by review",
    "4.6": "types of <stdint.h>; int in loops of the test program only",
    "4.7": "the run function returns a status; the test program checks each",
    "4.8": "structures are described for the caller; by review",
    "4.9": "the runtime prefers inline functions; by review",
    "4.10": "each header has an include guard, from one macro of the templates",
    "4.11": "arguments of functions of mathematics are in their domain or the result is defined; by review",
    "4.12": "no heap",
    "4.13": "no functions on resources",
    "4.14": "pointers and alignment are checked in each call; the values of inputs need no check",
    "4.15": "floats that are no numbers pass through as the model's format says",
    "5.1": "no threads, unless --threads asks for them",
    "5.2": "no threads, unless --threads asks for them",
    "5.3": "no threads are created by the network",
}


@frozen
class Guideline:
    """One guideline and how it is enforced."""

    number: str
    """`Rule 10.1` or `Dir 4.1`."""
    topic: str
    category: str
    edition: str
    """Where it came from: the edition of 2012, or an amendment, which the edition of 2023 contains."""
    method: str
    """`cppcheck`, `compiler`, `construction`, or `review`."""
    how: str


def guidelines() -> Iterator[Guideline]:
    """All guidelines, the directives first."""
    for section, count in DIRECTIVES.items():
        for number in range(1, count + 1):
            name = f"{section}.{number}"
            category = "advisory" if name in ADVISORY_DIRECTIVES else "required"
            how = DIRECTED[name]
            edition = "2012" if number <= DIRECTIVES_OF_2012[section] else "amendment"
            method = "review" if how.endswith("by review") else "construction"
            yield Guideline(f"Dir {name}", DIRECTIVE_TOPICS[section], category, edition, method, how)
    for section, count in RULES.items():
        for number in range(1, count + 1):
            name = f"{section}.{number}"
            edition = "2012" if number <= OF_2012[section] else "amendment"
            yield Guideline(f"Rule {name}", TOPICS[section], category_of(name), edition, *_enforced(section, name))


def category_of(rule: str) -> str:
    """The category of a rule by its number."""
    return "mandatory" if rule in MANDATORY else "advisory" if rule in ADVISORY else "required"


def _enforced(section: int, rule: str) -> tuple[str, str]:
    """The method that enforces a rule, and what it does."""
    if rule in CHECKED:
        return "cppcheck", "the MISRA addon of cppcheck"
    if rule in COMPILED:
        return "compiler", COMPILED[rule]
    if rule in CONSTRUCTION:
        return "construction", CONSTRUCTION[rule]
    if section in NO_SUCH:
        return "construction", NO_SUCH[section]
    return "review", "no tool of this project looks at it; by review"
