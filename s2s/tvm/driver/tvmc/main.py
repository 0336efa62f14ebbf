"""The command line of the driver under TVM's name."""

from s2s.tvm.driver.tvmc.command import main as _main

__all__ = ["_main"]
