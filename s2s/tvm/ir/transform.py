"""Passes, where older programs have them."""

from s2s.tvm.transform import ModulePass, Pass, PassContext, PassInfo, PrintIR, Sequential, module_pass

__all__ = ["ModulePass", "Pass", "PassContext", "PassInfo", "PrintIR", "Sequential", "module_pass"]
