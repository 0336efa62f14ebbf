"""Which tests run in one process where several share the work: those that would make the same thing again."""

from pathlib import PurePosixPath

BY_FIRST_PARAMETER = ("test_fallbacks.py", "test_threads.py")
"""Files whose tests share what belongs to their first parameter: a network that has been compiled."""
OF_FAMILIES = ("test_executors.py", "test_memory.py", "end_to_end/test_operators.py", "test_trees.py")
"""Files whose tests share the networks of `support.trees`, whose names are their first parameter."""
WHOLE = (
    *("docs/test_error_messages.py", "docs/test_varying_axes.py", "farm/test_farm.py", "tests/test_packaging.py"),
    *("loop/test_lower_to_c.py", "loop/test_lower_to_c_vectors.py", "runtime/test_packed.py"),
    "tuning/test_shipped_records.py",
)
"""Files whose tests share a fixture that takes long, or what is computed once in a process."""


def scope_of(test: str) -> str:
    """The name that tests have in common that run in one process; `test` is what pytest calls it."""
    file, _, name = test.partition("::")
    path = PurePosixPath(file)
    first = name.partition("[")[2].rstrip("]").partition("-")[0]
    if any(path.match(each) for each in WHOLE):
        return file
    if first and any(path.match(each) for each in OF_FAMILIES):
        return f"network {first}"
    if first and any(path.match(each) for each in BY_FIRST_PARAMETER):
        return f"{file}[{first}]"
    return test
