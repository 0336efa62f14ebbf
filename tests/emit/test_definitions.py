"""Macros of headers."""

from s2s.emit.definitions import initializer


def test_a_short_list_stands_on_one_line():
    assert initializer("NET_TEXTS", ['"a"', '"b"']) == ['#define NET_TEXTS {"a", "b"}']


def test_a_long_list_goes_on_in_further_lines():
    lines = initializer("NET_TEXTS", [f'"{number:030}"' for number in range(9)])
    assert max(map(len, lines)) <= 120
    assert all(line.endswith(", \\") for line in lines[:-1])
    assert lines[-1].endswith('"}')
    assert sum(line.count('"') for line in lines) == 18
