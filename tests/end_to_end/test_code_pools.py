"""Functions of kernels in memory pools of code."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from s2s import api
from s2s.artifact import Artifact
from s2s.cli.main import run
from s2s.errors import InputError
from support.boards import board_or_skip
from support.trees import DIGITS

POOL = "itcm=6KiB:code"


def placed(pool: str = POOL, place: Mapping[str, str] | None = None) -> Artifact:
    return api.compile(DIGITS, target="cortex-m4", pools=[pool], place=place)


def kernels_in(artifact: Artifact) -> list[str]:
    [pool] = artifact.info.code
    return list(pool.kernels)


def test_the_functions_of_a_pool_are_defined_with_its_macro() -> None:
    artifact = placed()
    tree = artifact.tree()
    [source] = [tree.text(name) for name in tree.files if name.endswith("_kernels.c")]
    assert 0 < len(kernels_in(artifact)) < len(artifact.info.paths)
    assert re.findall(r"^S2S_POOL_ITCM\nvoid (\w+)\(", source, re.MULTILINE) == kernels_in(artifact)


def test_data_stay_where_they_are_without_pools() -> None:
    plain = api.compile(DIGITS, target="cortex-m4")
    both = placed()
    assert (both.info.pools, both.info.arena_size) == (plain.info.pools, plain.info.arena_size)
    assert {name for name in both.tree().files if name.endswith(".ld")} == set()


def test_a_pool_with_an_address_is_a_region_for_instructions() -> None:
    tree = placed(f"{POOL}:at=0x10000").tree()
    [script] = [tree.text(name) for name in tree.files if name.endswith("_pools.ld")]
    assert "DIGITS_ITCM (rx) : ORIGIN = 0x10000, LENGTH = 6144" in script
    assert ".pool_itcm : { *(.pool_itcm) } > DIGITS_ITCM" in script


def test_it_runs_on_a_board_from_a_section_of_its_own() -> None:
    board_or_skip("qemu:m4")
    artifact = placed(f"{POOL}:at=0x10000")
    assert artifact.verify_on("qemu:m4").passed
    assert re.fullmatch(r"itcm [\d,]+ of 6,144 bytes \(digits_.*\)", artifact.report(measure=True).code_in_pools)


def test_the_user_places_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [path.kernel.removeprefix("digits_") for path in placed().info.paths]
    last = next(each for each in reversed(others) if each != "run")
    assert kernels_in(placed("itcm=1200:code", place={last: "itcm"}))[-1] == f"digits_{last}"
    project = tmp_path / "s2s.toml"
    project.write_text(
        f'model = "{DIGITS}"\ntarget = "cortex-m4"\noutput = "{tmp_path / "tree"}"\npool = ["{POOL}"]\n'
        f'[place]\n{last} = "default"\n'
    )
    monkeypatch.chdir(tmp_path)
    assert run(["compile"]) == 0
    record = json.loads((tmp_path / "tree" / "metadata.json").read_text())
    assert f"digits_{last}" not in record["code"][0]["kernels"]


def test_written_decisions_place_kernels() -> None:
    subjects = [decision.subject for decision in placed().decisions if decision.kind == "code"]
    entries = [{"kind": "code", "subject": subject, "chosen": "default"} for subject in subjects]
    decided = {"format": 1, "decisions": entries}
    artifact = api.compile(DIGITS, target="cortex-m4", pools=[POOL], decisions=decided)
    assert {decision.by for decision in artifact.decisions if decision.kind == "code"} == {"user"}
    assert kernels_in(artifact) == []


@pytest.mark.parametrize(
    ("pool", "place", "fault"),
    [
        (POOL, {"nothing": "itcm"}, "--place nothing=itcm: there is no such kernel; the kernels are "),
        (POOL, {"conv_3x3": "tcm"}, "there is no such pool of code; give one of itcm, default|there is no such kernel"),
        ("tcm=1MiB", {"conv": "tcm"}, "there is no pool of code; add one, as --pool itcm=64KiB:code"),
        (f"{POOL}:read=4", {}, "kernels access no data there; leave read and write out"),
    ],
)
def test_what_is_no_place_is_refused(pool: str, place: dict[str, str], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        placed(pool, place=place)
