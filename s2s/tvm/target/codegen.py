"""The code generators of targets: C, which needs no LLVM."""


def llvm_version_major(allow_none: bool = False) -> int | None:
    """The version of LLVM that code is made by: 0, or None where that is allowed, as none is needed."""
    return None if allow_none else 0


__all__ = ["llvm_version_major"]
