"""Errors of the driver under TVM's names."""

from s2s.errors import InputError


class TVMCException(InputError):
    """A call of the driver is wrong."""


class TVMCImportError(TVMCException):
    """A model cannot be read."""


class MissingModelError(TVMCException, FileNotFoundError):
    """There is no file of a model."""


__all__ = ["MissingModelError", "TVMCException", "TVMCImportError"]
