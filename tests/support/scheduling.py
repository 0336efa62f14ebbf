"""Which tests run in one process where several share the work: those that would make the same thing again."""

from pathlib import PurePosixPath

BY_FIRST_PARAMETER = ("test_trees.py", "test_fallbacks.py")
"""Files whose tests share what belongs to their first parameter: a network that has been compiled."""
WHOLE = ("test_packaging.py",)
"""Files whose tests share a fixture that takes long."""


def scope_of(test: str) -> str:
    """The name that tests have in common that run in one process; `test` is what pytest calls it."""
    file, _, name = test.partition("::")
    if PurePosixPath(file).name in WHOLE:
        return file
    if PurePosixPath(file).name in BY_FIRST_PARAMETER and "[" in name:
        return f"{file}[{name.partition('[')[2].rstrip(']').partition('-')[0]}]"
    return test
