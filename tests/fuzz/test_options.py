"""Options of the compiler are drawn in combinations, each of them, or it says why not."""

import json
from collections import Counter
from dataclasses import Field, asdict, fields
from random import Random
from typing import Any

import pytest

from s2s.fuzz.options import DRAWN, NOT_DRAWN, draw_options, drawer_of, options_of
from s2s.fuzz.variants import TARGETS, Variant, draw_variants
from s2s.options import CompileOptions
from s2s.options.declaration import check_refused

OPTIONS = fields(CompileOptions)


@pytest.mark.parametrize("option", OPTIONS, ids=[option.name for option in OPTIONS])
def test_an_option_is_drawn_or_says_why_not(option: Field[Any]):
    draw = drawer_of(option)
    assert (draw is None) == bool(NOT_DRAWN.get(option.name))
    if draw is not None:
        options_of({option.name: draw(Random(1))})


def test_each_name_is_that_of_an_option():
    assert {*DRAWN, *NOT_DRAWN} <= {option.name for option in OPTIONS}
    assert not DRAWN.keys() & NOT_DRAWN.keys()


def test_each_option_is_drawn_beside_others_and_none_contradicts_another():
    counts = Counter[str]()
    for seed in range(400):
        drawn = draw_options(Random(seed), {"target": "host"}, share=0.3)
        check_refused(options_of({"target": "host", **drawn}))
        counts.update(drawn.keys())
    asked = {option.name for option in OPTIONS} - NOT_DRAWN.keys()
    assert {name for name in asked if counts[name] < 5} == set()


def test_a_variant_is_the_same_after_it_was_written_as_json():
    for variant in draw_variants(Random(3), TARGETS, 50):
        again = Variant(**json.loads(json.dumps(asdict(variant))))
        assert again == variant
        assert again.options() == variant.options()
