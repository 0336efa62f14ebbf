"""Figures that pages state of networks are those that the commands beside them print."""

import pytest

from s2s import api
from support.project import ROOT, SHARED

PERSON_DETECTION = SHARED / "models" / "mlperf_tiny" / "vww_96_int8.tflite"
LITTLE_RAM = ROOT / "docs" / "how-to" / "memory.md"


@pytest.mark.skipif(not PERSON_DETECTION.is_file(), reason=f"{PERSON_DETECTION} is not there")
@pytest.mark.parametrize("budget", [None, 28000, "min"])
def test_the_page_about_ram_states_what_person_detection_takes(budget: int | None):
    ram = api.compile(PERSON_DETECTION, target="cortex-m4", ram_budget=budget).report().ram
    assert f"{ram:,} bytes" in LITTLE_RAM.read_text() or f"takes {ram:,}." in LITTLE_RAM.read_text()
