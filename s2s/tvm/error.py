"""Errors under TVM's names: each is one of ours, and one that callers of TVM catch."""

from s2s.errors import InputError, S2SError

TVMError = S2SError
"""The base of all errors that a user can meet."""


class MissingFunctionError(InputError, ValueError):
    """Nothing is registered under a name."""


class MissingAttributeError(InputError, AttributeError):
    """A module has no function of a name."""


class MissingTargetError(InputError, ValueError):
    """There is no target around."""


class KeyKindError(InputError, ValueError):
    """A module is asked for something else than a name."""


class AttributeKindError(InputError, ValueError):
    """An attribute of a target is not known, or has a value of another type."""


class RepeatedNameError(InputError, AssertionError):
    """Two modules of an archive have one name."""


class UnsupportedInModelLibraryFormatError(InputError):
    """An archive cannot hold what it was given."""


class RPCError(InputError, RuntimeError):
    """A remote session has ended, or what runs there has failed."""


class ScheduleError(InputError, RuntimeError):
    """A schedule says what cannot be."""


__all__ = [
    "AttributeKindError",
    "KeyKindError",
    "MissingAttributeError",
    "MissingFunctionError",
    "MissingTargetError",
    "RPCError",
    "RepeatedNameError",
    "ScheduleError",
    "TVMError",
]
