"""Objects that look on while passes run, under TVM's names."""

from s2s.passes.instruments import PassInstrument, PassTimingInstrument, pass_instrument

__all__ = ["PassInstrument", "PassTimingInstrument", "pass_instrument"]
