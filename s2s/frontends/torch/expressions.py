"""Tell expressions on sizes from other Python, in files of programs: sympy evaluates what these hold.

2*s0**2 + Max(1, s1)        evaluated
9**9**9, 1 << 10**12        not: a few characters that would take days, or all memory
"""

import ast
import re

MAX_CHARACTERS = 4096
MAX_BRACKETS = 64
"""Brackets within each other."""
MAX_POWER = 64
"""All exponents and shifts of an expression, multiplied with each other."""
MAX_NUMBER = 2**64
_EXPRESSION = re.compile(r"[\w\s+\-*/%(),.<>=!&|~]*")
_QUOTED = re.compile(r"'([a-z]+\d+)'")
_FUNCTIONS = (
    "Abs Add And CeilDiv CeilToInt CleanDiv Eq Equality FloatPow FloatTrueDiv FloorDiv FloorToInt Ge GreaterThan Gt "
    "IntTrueDiv Integer IsNonOverlappingAndDenseIndicator Le LShift LessThan Lt Max Min Mod ModularIndexing Mul Ne Not "
    "Or Pow PowByNatural PythonMod RShift Rational RoundDecimal RoundToInt StrictGreaterThan StrictLessThan Symbol "
    "ToFloat TruncToFloat TruncToInt True Unequality Where False and floor int_oo integer max min nonnegative not oo "
    "or positive real"
)
"""Functions and constants that expressions on sizes are made of."""
_WORDS = frozenset(_FUNCTIONS.split())
_SYMBOL = re.compile(r"[suz]\d+|zf\d+|\d+")
_POWERS = frozenset(["Pow", "PowByNatural", "FloatPow", "LShift"])


def is_arithmetic(text: str) -> bool:
    """Whether an expression is made of symbols, numbers and functions on sizes alone, and evaluated within bounds."""
    plain = _QUOTED.sub(r"\1", text)
    if len(plain) > MAX_CHARACTERS or _EXPRESSION.fullmatch(plain) is None:
        return False
    words = re.findall(r"[A-Za-z_]\w*|\d+", plain)
    return all(word in _WORDS or _SYMBOL.fullmatch(word) for word in words) and _is_bounded(plain)


def _is_bounded(text: str) -> bool:
    """Whether numbers stay small: powers and shifts by constants, whose product is at most `MAX_POWER`."""
    deepest = depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    if deepest > MAX_BRACKETS:
        return False
    try:
        nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return False
    numbers = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, int)]
    power = 1
    for node in nodes:
        exponent = _exponent(node)
        if exponent is not None:
            power *= max(_constant(exponent), 1)
    return power <= MAX_POWER and all(number <= MAX_NUMBER for number in numbers)


def _exponent(node: ast.AST) -> ast.expr | None:
    """The exponent or the shift of a node, if it has one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift):
        return node.right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _POWERS:
        return node.args[-1] if node.args else node.func
    return None


def _constant(node: ast.expr) -> int:
    """The absolute value of a number; of whatever is none, more than a power may be."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _constant(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Integer" and node.args:
        return _constant(node.args[0])
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    return MAX_POWER + 1
