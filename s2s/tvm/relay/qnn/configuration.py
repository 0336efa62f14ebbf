"""How `qnn.requantize` rounds and multiplies where a call does not say it, for the networks that are built inside.

with relay.qnn.op.requantize_config(rounding="TONEAREST"):
    library = relay.build(mod, params=params)
"""

from contextvars import ContextVar
from types import TracebackType
from typing import Self

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.relay.qnn.scales import FLOATS, ROUNDINGS

UNSET = "None"
"""The rounding or the type of products of a call that takes the configuration's."""
COMPUTE_DTYPES = ("int64", *FLOATS)


@frozen
class RequantizeConfig:
    """The rounding and the type of products; `requantize_config` makes it."""

    rounding: str = ROUNDINGS[0]
    compute_dtype: str = COMPUTE_DTYPES[0]

    def __enter__(self) -> Self:
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(
        self, ptype: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _stack.set(_stack.get()[:-1])


_stack: ContextVar[tuple[RequantizeConfig, ...]] = ContextVar("requantize_config", default=())


def requantize_config(**kwargs: str) -> RequantizeConfig:
    """A configuration of `rounding`, UPWARD or TONEAREST, and `compute_dtype`, int64, float32 or float64; TVM takes
    float32 on processors of x86 where none is given, and this one int64 everywhere."""
    config = RequantizeConfig(**{key: value for key, value in kwargs.items() if key in ("rounding", "compute_dtype")})
    if config.rounding not in ROUNDINGS or config.compute_dtype not in COMPUTE_DTYPES:
        raise InputError(
            f"relay.qnn.op.requantize_config: {kwargs}: is not known; give rounding {' or '.join(ROUNDINGS)}, and "
            f"compute_dtype {', '.join(COMPUTE_DTYPES)}"
        )
    return config


def current_requantize_config() -> RequantizeConfig:
    """The configuration around, or the default."""
    return (_stack.get() or (RequantizeConfig(),))[-1]
