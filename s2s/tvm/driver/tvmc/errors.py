"""Errors of the driver under TVM's names."""

from s2s.errors import InputError, UnsupportedError


class TVMCException(InputError):
    """A call of the driver is wrong."""


class RefusedConfigError(TVMCException, UnsupportedError):
    """A key of the configuration is of TVM's, and not done here."""


class TVMCImportError(TVMCException):
    """A model cannot be read."""


class MissingModelError(TVMCException, FileNotFoundError):
    """There is no file of a model."""


class WrongTaskError(TVMCException, AssertionError):
    """An expression names tasks that there are not; TVM's is an assertion."""


__all__ = ["MissingModelError", "RefusedConfigError", "TVMCException", "TVMCImportError", "WrongTaskError"]
