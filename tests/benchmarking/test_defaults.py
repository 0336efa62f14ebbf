"""The benchmark of the default decisions: figures that persist, bounds that are missed, and the page."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.defaults import Figures, Lesson, gain_of_slow, missed, models_named, page, read

GOOD = Figures("good", default=1.0, tuned=0.97, before=1.0, trials=40)
LESSON = Lesson("conv_3x3", gain=1.25, share=0.4, changes=("tile oh 1 -> 2", "vectors 8 oc -> 16 oc"))


def test_the_speed_is_that_beside_the_best_build() -> None:
    assert (GOOD.speed, replace(GOOD, tuned=2.0).speed) == (0.97, 1.0)


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    path, taught = tmp_path / "figures.json", replace(GOOD, lessons=(LESSON,))
    path.write_text(json.dumps([asdict(taught)]))
    assert read(path) == {"good": taught}
    assert read(tmp_path / "none.json") == {}


def test_nothing_is_missed_by_good_defaults() -> None:
    assert missed([GOOD], ["good"]) == []


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ([GOOD] * 9 + [replace(GOOD, name="slow", tuned=0.84)], "slow: 0.840 is below 0.85"),
        ([replace(GOOD, tuned=0.91)], "the geometric mean 0.910 is below 0.92"),
    ],
)
def test_missed_bounds_are_told(found: list[Figures], reason: str) -> None:
    assert reason in missed(found, [each.name for each in found])


def test_a_network_without_figures_is_missed() -> None:
    assert missed([GOOD], ["good", "mlp"]) == ["mlp: has no figures"]


def test_tuning_is_to_gain_where_defaults_were_slow() -> None:
    slow = replace(GOOD, default=1.0, tuned=0.96, before=1.02)
    assert gain_of_slow([GOOD]) is None
    assert gain_of_slow([GOOD, slow]) == pytest.approx(1.02 / 0.96)


def test_the_page_has_the_table_and_what_was_learnt() -> None:
    text = page([replace(GOOD, lessons=(LESSON,))], "24 trials of each kernel")
    assert "| good | 1,000,000.0 | 0.970 | 1,000,000.0 | 970,000.0 | 0.970 | 40 |" in text
    assert "- conv_3x3, 40% of the time, 1.25 x: tile oh 1 -> 2; vectors 8 oc -> 16 oc" in text


def test_names_may_be_patterns(tmp_path: Path) -> None:
    found = models_named(tmp_path, ["tiny_ad*int8", "digits_*"])
    assert [each.stem for each in found] == ["tiny_ad_autoencoder_int8"]
