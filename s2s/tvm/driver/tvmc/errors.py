"""Errors of the driver under TVM's names."""

from s2s.errors import InputError


class TVMCException(InputError):
    """A call of the driver is wrong."""


class TVMCImportError(TVMCException):
    """A model cannot be read."""


class MissingModelError(TVMCException, FileNotFoundError):
    """There is no file of a model."""


class WrongTaskError(TVMCException, AssertionError):
    """An expression names tasks that there are not; TVM's is an assertion."""


__all__ = ["MissingModelError", "TVMCException", "TVMCImportError", "WrongTaskError"]
