"""Sets of characters, as the first and the last code points of their ranges: by general category, and of DeepSeek."""

import sys
import unicodedata
from functools import cache

import numpy as np

from s2s.types.dtypes import Array


def _parsed(text: str) -> tuple[tuple[int, int], ...]:
    ends = [[int(end, 16) for end in item.split("-")] for item in text.split()]
    return tuple((first, last[-1] if last else first) for first, *last in ends)


SPACES = _parsed("9-D 20 85 A0 1680 2000-200A 2028-2029 202F 205F 3000")
"""What `\\s` stands for in the regular expressions of tokenisers."""
LINE_ENDS = _parsed("A D")
DEEPSEEK_PUNCTUATION = _parsed("21-2F 3A-7E 2018-201F 3000-3002 FF01-FF0F FF1A-FF5E")
"""Punctuation as DeepSeek's tokenisers name it: `:-~` holds the letters of ASCII too."""
DEEPSEEK_EAST_ASIA = _parsed("800-9FA5 AC00-D7FF")
"""Characters of which runs are words in DeepSeek's tokenisers: Han, kana and hangul, and most of what is between."""
DEEPSEEK_LETTERS = _parsed("""
41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376-377 37B-37D 37F 386 388-38A 38C 38E-3A1 3A3-3F5
3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15
1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3
1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139
213C-213F 2145-2149 214E 2183-2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2-2CF3 A640-A66D A680-A69B A722-A76F A771-A787
A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2
118A0-118DF 1E900-1E943
""")
"""Letters with case as DeepSeek's tokenisers list them, with a part of Armenian and Georgian."""


@cache
def of_category(*categories: str) -> Array:
    """Return the ranges, `[ranges, 2]`, of all characters whose general category in Unicode begins with one of
    `categories`."""
    points = (unicodedata.category(chr(point)).startswith(categories) for point in range(sys.maxunicode + 1))
    edges = np.flatnonzero(np.diff(np.fromiter(points, bool), prepend=False, append=False))
    return edges.reshape(-1, 2) - np.array([0, 1])
