"""The words that our identifiers must not be, because a compiler or an included header knows them."""

import re

_C = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof atomic bool complex constexpr false generic imaginary noreturn nullptr static_assert thread_local true
typeof typeof_unqual
"""

_CPP = """
and and_eq asm bitand bitor catch char8_t char16_t char32_t class compl concept consteval constinit co_await
co_return co_yield const_cast decltype delete dynamic_cast explicit export friend import module mutable namespace new
noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this
throw try typeid typename using virtual wchar_t xor xor_eq
"""

_MACROS_OF_PLATFORMS = "arm avr errno far huge i386 interrupt linux main near unix windows"

_LIBRARY = """
abs acos acosf acosh asin asinf asinh atan atan2 atanf atanh cbrt ceil ceilf copysign cos cosf cosh div erf erfc erff
exit exp exp2 expf expm1 fabs fabsf fdim floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf free frexp gamma hypot
ilogb index isfinite isinf isnan isnormal j0 j1 jn ldexp lgamma log log10 log1p log2 logb logf lrint lround malloc max
memcmp memcpy memmove memset min modf nan nearbyint nextafter pow powf remainder remquo rindex rint round roundf scalbn
signal signbit sin sinf sinh sqrt sqrtf strlen tan tanf tanh tanhf tgamma time trunc truncf y0 y1 yn
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t
"""

RESERVED = frozenset(" ".join((_C, _CPP, _MACROS_OF_PLATFORMS, _LIBRARY)).split())

_HEADERS = """
alloca assert bits byteswap complex ctype endian errno features fenv float inttypes iso646 limits locale machine malloc
math memory newlib picolibc poll pthread sched setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio
stdlib stdnoreturn string strings sys tgmath threads time uchar unistd wchar wctype
"""
HEADERS = frozenset(_HEADERS.split())
"""Headers of C libraries, without `.h`, which include each other: no header of a network may stand in for one."""


def is_function_name(text: str) -> bool:
    """Whether a function of a user may have this name in C."""
    return re.fullmatch(r"[A-Za-z]\w*", text) is not None and text not in RESERVED
