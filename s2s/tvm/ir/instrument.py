"""Objects that look on while passes run, where older programs have them."""

from s2s.tvm.instrument import PassInstrument, PassTimingInstrument, pass_instrument

__all__ = ["PassInstrument", "PassTimingInstrument", "pass_instrument"]
