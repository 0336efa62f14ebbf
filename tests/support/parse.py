"""Modules of the compiler from text."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from s2s.passes.context import CompilerContext


def parse(text: str) -> ModuleOp:
    """The verified module that `text` spells out."""
    module = Parser(CompilerContext(), text).parse_module()
    module.verify()
    return module
