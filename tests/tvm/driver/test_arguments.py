"""What stands on the command line of TVM's driver: targets, pools, passes, executors, trackers, configurations."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.tvm.driver import tvmc
from s2s.tvm.driver.tvmc import TVMCException
from s2s.tvm.driver.tvmc.command import main
from s2s.tvm.driver.tvmc.config_options import convert_config_json_to_cli, get_configs_json_dir
from s2s.tvm.driver.tvmc.pass_config import parse_configs
from s2s.tvm.driver.tvmc.pass_list import parse_pass_list_str
from s2s.tvm.driver.tvmc.registry import generate_registry_args, reconstruct_registry_entity
from s2s.tvm.driver.tvmc.target import (
    generate_target_args,
    parse_target,
    reconstruct_target_args,
    target_from_cli,
    tokenize_target,
)
from s2s.tvm.driver.tvmc.tracker import tracker_host_port_from_cli
from s2s.tvm.driver.tvmc.workspace_pools import generate_workspace_pools_args, workspace_pools_recombobulate
from s2s.tvm.relay.options import Executor
from s2s.tvm.target import Target
from support.project import ROOT

DIGITS = str(ROOT / "examples" / "digits" / "digits.onnx")


def parsed(declare: Callable[[argparse.ArgumentParser], None], *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    declare(parser)
    return parser.parse_known_args(words)[0]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("foo -opt1=value1 --flag, bar -opt2=value2", ["foo", "-opt1=value1", "--flag", ",", "bar", "-opt2=value2"]),
        ("foo -opt1=v,a,l,u,e,1 --flag", ["foo", "-opt1=v,a,l,u,e,1", "--flag"]),
        ("foo -opt1='v, a, l', bar", ["foo", "-opt1='v, a, l'", ",", "bar"]),
        ("foo-bar1 -opt-1=t-e-s-t, baz", ["foo-bar1", "-opt-1=t-e-s-t", ",", "baz"]),
        ("ethos-u,cmsis-nn,c", ["ethos-u", ",", "cmsis-nn", ",", "c"]),
    ],
)
def test_targets_are_split_into_words(text: str, tokens: list[str]):
    assert tokenize_target(text) == tokens


def test_targets_have_options():
    [first, second] = parse_target("cmsis-nn, llvm -device=arm_cpu -mattr='+fp,+mve'")
    assert (first["name"], first["is_tvm_target"], first["opts"]) == ("cmsis-nn", False, {})
    assert second["opts"] == {"device": "arm_cpu", "mattr": "+fp,+mve"}
    assert second["is_tvm_target"]


def test_a_target_its_host_and_generators():
    target, extra = target_from_cli("opencl -device=mali, llvm -mtriple=aarch64-linux-gnu")
    assert "opencl" in str(target)
    assert "-mtriple=aarch64-linux-gnu" in str(target.host)
    assert extra == []
    target, [generator] = target_from_cli("cmsis-nn, c -mcpu=cortex-m55", {"c": {"mattr": "+mve"}})
    assert (generator["name"], target.kind.name) == ("cmsis-nn", "c")
    assert "-mcpu=cortex-m55" in str(target)
    assert "mattr" in str(target)


def test_a_target_in_json_and_in_a_file(tmp_path: Path):
    text = json.dumps({"kind": "c", "mcpu": "cortex-m4"})
    (tmp_path / "target.json").write_text(text)
    for given in (text, str(tmp_path / "target.json")):
        assert "-mcpu=cortex-m4" in str(target_from_cli(given)[0])


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("llvm, llvm", None, "Duplicate target definitions are not allowed"),
        ("cuda, opencl, llvm", None, "Only two of them"),
        ("invalidtarget", None, "there is no such target"),
        ("llvm, cmsis-nn", None, "The last target needs to be a TVM target"),
        ("llvm,", None, "names nothing between commas"),
        ("llvm -mcpu", None, "-mcpu is no option"),
        ("llvm", {"opencl": {"max_num_threads": 404}}, "Passed --target-opencl-max_num_threads but did not specify"),
    ],
)
def test_other_targets_are_refused(target: str, options: Any, message: str):
    with pytest.raises(TVMCException, match=message):
        target_from_cli(target, options)


def test_attributes_of_targets_are_arguments():
    words = parsed(
        generate_target_args, "--target=llvm", "--target-llvm-mcpu=cortex-m3", "--target-llvm-mattr=+fp,+mve"
    )
    assert words.target == "llvm"
    assert reconstruct_target_args(words) == {"llvm": {"mcpu": "cortex-m3", "mattr": "+fp,+mve"}}


def test_a_generator_beside_the_target_takes_its_part(tmp_path: Path):
    package = tvmc.compile(
        tvmc.load(DIGITS), "cmsis-nn, c -mcpu=cortex-m4", output_format="mlf", package_path=tmp_path / "net.tar"
    )
    assert package.type == "mlf"
    with pytest.raises(UnsupportedError, match="generators have no options"):
        tvmc.compile(tvmc.load(DIGITS), "cmsis-nn -a=1, c -mcpu=cortex-m4")
    with pytest.raises(InputError, match="ethos-u: there is no such generator"):
        tvmc.compile(tvmc.load(DIGITS), "ethos-u, c -mcpu=cortex-m55")


def test_executors_are_arguments():
    def declare(parser: argparse.ArgumentParser) -> None:
        generate_registry_args(parser, Executor)

    entity = reconstruct_registry_entity(parsed(declare, "--executor=aot", "--executor-aot-interface-api=c"), Executor)
    assert isinstance(entity, Executor)
    assert entity["interface-api"] == "c"
    assert "interface-api" in entity
    assert reconstruct_registry_entity(parsed(declare), Executor) is None
    with pytest.raises(TVMCException, match='Executor "woof" is not defined'):
        reconstruct_registry_entity(parsed(declare, "--executor=woof"), Executor)
    with pytest.raises(TVMCException, match="Passed --executor-graph-link-params but did not specify graph executor"):
        reconstruct_registry_entity(parsed(declare, "--executor=aot", "--executor-graph-link-params=1"), Executor)


def test_passes_are_named():
    assert parse_pass_list_str("") == [""]
    assert parse_pass_list_str("FoldScaleAxis,FuseOps") == ["FoldScaleAxis", "FuseOps"]
    with pytest.raises(argparse.ArgumentTypeError, match=r"passes MyPass: are not known; give some of .*FuseOps"):
        parse_pass_list_str("MyPass,FuseOps")


def test_configurations_of_passes():
    assert parse_configs(["tir.disable_vectorize=true", "relay.FuseOps.max_depth=8"]) == {
        "tir.disable_vectorize": True,
        "relay.FuseOps.max_depth": 8,
    }
    assert parse_configs(None) == {}


@pytest.mark.parametrize("text", ["", "a", "tir.unknown=1", "relay.FuseOps.max_depth=many", "a=b=c"])
def test_other_configurations_are_refused(text: str):
    with pytest.raises(TVMCException):
        parse_configs([text])


def test_an_address_of_a_tracker():
    assert tracker_host_port_from_cli("1.2.3.4:9190") == ("1.2.3.4", 9190)
    assert tracker_host_port_from_cli("1.2.3.4") == ("1.2.3.4", 9090)
    assert tracker_host_port_from_cli("tcp://farm:8786") == ("tcp://farm", 8786)
    assert tracker_host_port_from_cli("") == (None, None)


def test_pools_are_arguments():
    words = parsed(
        generate_workspace_pools_args,
        "--workspace-pools=sram,flash",
        "--workspace-pools-targets=sram:c",
        "--workspace-pools-targets=flash:c",
        "--workspace-pools-size-hint-bytes=sram:400",
        "--workspace-pools-size-hint-bytes=sram:500",
        "--workspace-pools-read-latency-cycles=flash:30",
        "--workspace-pools-target-burst-bytes=sram:c:2",
    )
    pools = workspace_pools_recombobulate(words, [Target("c")], [])
    assert pools is not None
    sram, flash = pools.pools
    assert (sram.pool_name, sram.size_hint_bytes, sram.clock_frequency_hz) == ("sram", 500, -1)
    assert list(sram.target_burst_bytes.values()) == [2]
    assert (flash.read_latency_cycles, flash.target_burst_bytes) == (30, {})
    assert workspace_pools_recombobulate(parsed(generate_workspace_pools_args), [Target("c")], []) is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--workspace-pools=sram"], 'No target specified for Workspace Pool "sram"'),
        (["--workspace-pools=sram", "--workspace-pools-targets=sram:cuda"], "using undefined Target"),
        (
            ["--workspace-pools=a", "--workspace-pools-targets=a:c", "--workspace-pools-target-burst-bytes=a:x:2"],
            "x is no target",
        ),
    ],
)
def test_other_pools_are_refused(words: list[str], message: str):
    with pytest.raises(TVMCException, match=message):
        workspace_pools_recombobulate(parsed(generate_workspace_pools_args, *words), [Target("c")], [])


def test_a_configuration_stands_for_arguments():
    said = {
        "targets": [{"kind": "llvm"}, {"kind": "c", "mcpu": "cortex-m55"}],
        "executor": {"kind": "aot", "interface-api": "c"},
        "pass-config": {"tir.disable_vectorize": "1"},
        "repeat": "100",
    }
    assert convert_config_json_to_cli(said) == [
        {"target_c_mcpu": "cortex-m55"},
        {"target": "llvm, c"},
        {"executor": "aot"},
        {"executor_aot_interface_api": "c"},
        {"pass_config": ["tir.disable_vectorize=1"]},
        {"repeat": "100"},
    ]


def test_configurations_are_found_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TVM_CONFIGS_JSON_DIR", str(tmp_path))
    assert get_configs_json_dir() == str(tmp_path)


def test_the_command_takes_a_configuration_and_pools(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = {
        "targets": [{"kind": "c", "mcpu": "cortex-m4"}],
        "executor": {"kind": "aot", "unpacked-api": "1", "interface-api": "c"},
        "runtime": {"kind": "crt"},
        "output-format": "mlf",
        "workspace-pools": "fast",
        "workspace-pools-targets": "fast:c",
        "workspace-pools-size-hint-bytes": "fast:200000",
    }
    (tmp_path / "board.json").write_text(json.dumps(said))
    package = str(tmp_path / "net.tar")
    assert main(["compile", DIGITS, "--config", str(tmp_path / "board.json"), "-o", package]) == 0
    assert capsys.readouterr().out.strip() == package
    assert tvmc.TVMCPackage(package).executor_type == "aot"
    said["workspace-pools-size-hint-bytes"] = "fast:8"
    (tmp_path / "board.json").write_text(json.dumps(said))
    with pytest.raises(S2SError, match="fast"):
        main(["compile", DIGITS, "--config", str(tmp_path / "board"), "-o", package])


def test_a_configuration_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(TVMCException, match=r"--config nothing.json: cannot be read"):
        main(["compile", DIGITS, "--config", "nothing", "-o", str(tmp_path / "net.tar")])
