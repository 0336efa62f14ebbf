"""Where a compilation broke: the pass that raised an error that is none of the user's.

The error carries it, so that whoever reports the error can write a reproducer (`s2s/reproducer.py`).
"""

from s2s.frontends.model import Source
from s2s.options import CompileOptions
from s2s.stages.request import Findings
from s2s.support.frozen import frozen

_KEY = "s2s_pass_failure"


@frozen
class PassFailure:
    """The place of a pass in the compilation of a model."""

    source: Source
    options: CompileOptions
    findings: Findings
    stage: str
    device: str
    """The device whose kernels were compiled."""
    number: int
    """How many passes of the stage had run on them."""


def attach(error: Exception, failure: PassFailure) -> None:
    """Note on an error which pass raised it."""
    vars(error)[_KEY] = failure


def failure_of(error: BaseException) -> PassFailure | None:
    """The pass that raised an error; None for an error from elsewhere."""
    failure = vars(error).get(_KEY)
    return failure if isinstance(failure, PassFailure) else None
