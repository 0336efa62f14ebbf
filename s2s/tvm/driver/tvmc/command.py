"""`s2s tvmc`: TVM's command line, with its arguments as far as they mean something.

    s2s tvmc compile net.onnx --target llvm -o net.tar
    s2s tvmc run net.tar --inputs x.npz --print-time
    s2s tvmc tune net.onnx --target llvm -o net.log --trials 64

Attributes of targets, executors and runtimes are arguments of their own, as in TVM: `--target-c-mcpu cortex-m4`,
`--executor-aot-unpacked-api 1`. Arguments without a counterpart are refused by name.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from s2s.errors import UnsupportedError
from s2s.tvm.driver.tvmc.autotuner import TUNERS, tune_model
from s2s.tvm.driver.tvmc.compiler import compile_model
from s2s.tvm.driver.tvmc.config_options import read_and_convert_json_into_dict, words_of
from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.driver.tvmc.frontends import READERS, load_model
from s2s.tvm.driver.tvmc.model import TVMCPackage
from s2s.tvm.driver.tvmc.runner import FILL_MODES, run_module
from s2s.tvm.driver.tvmc.shape_parser import parse_shape_string
from s2s.tvm.driver.tvmc.target import target_from_cli
from s2s.tvm.driver.tvmc.tracker import PORT, tracker_host_port_from_cli
from s2s.tvm.driver.tvmc.workspace_pools import generate_workspace_pools_args, workspace_pools_recombobulate
from s2s.tvm.relay.options import Executor, Runtime
from s2s.tvm.target import Target

REFUSED: Mapping[str, str] = {
    "--desired-layout": "layouts are chosen by the compiler",
    "--desired-layout-ops": "layouts are chosen by the compiler",
    "--dump-offloads": "`s2s inspect --why` tells who computes each operator",
    "--enable-autoscheduler": "one tuner searches schedules",
    "--experimental-tvm-extension": "generators are installed as packages",
    "--list-options": "`s2s targets` and `s2s boards` list what there is",
    "--mixed-precision": "convert the model before it is read",
    "--project-option": "boards are driven by `s2s verify --on`",
    "--use-vm": "there is no virtual machine",
}
"""Arguments of TVM that have no counterpart, and the reason; longer ones that begin so are refused as well."""
Extra = dict[str, dict[str, str]]
"""Attributes by kind: of `--target-c-mcpu=cortex-m4` `{"c": {"mcpu": "cortex-m4"}}`."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises errors of the driver."""

    def error(self, message: str) -> Any:
        """Raise the error."""
        raise TVMCException(f"{self.prog}: {message}; see {self.prog} --help")


def main(arguments: Sequence[str]) -> int:
    """Run a command of the driver."""
    arguments = with_config(arguments)
    refuse(arguments)
    parser = _Parser(prog="s2s tvmc", description="TVM's driver on the compiler of s2s.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    _compile_parser(commands.add_parser("compile", help="compile a model to a package"))
    _run_parser(commands.add_parser("run", help="run a package on this machine"))
    _tune_parser(commands.add_parser("tune", help="tune the kernels of a model"))
    micro = commands.add_parser("micro", help="projects for boards, which are refused")
    micro.add_argument("step", choices=["create", "build", "flash"])
    parsed, rest = parser.parse_known_args(list(arguments))
    if parsed.command == "micro":
        raise UnsupportedError(
            f"s2s tvmc micro {parsed.step}: project servers of TVM are not run; `s2s new` writes a project for a "
            "board, `s2s export` one for Zephyr, Arduino, PlatformIO or ESP-IDF"
        )
    action: Callable[[argparse.Namespace, Sequence[str]], int] = parsed.action
    return action(parsed, rest)


def with_config(arguments: Sequence[str]) -> list[str]:
    """Put what the file of `--config` says before the other arguments, which have the last word."""
    parser = _Parser(prog="s2s tvmc", add_help=False, allow_abbrev=False)
    parser.add_argument("--config")
    parsed, rest = parser.parse_known_args(list(arguments))
    if parsed.config is None:
        return list(arguments)
    return [*rest[:1], *words_of(read_and_convert_json_into_dict(parsed)), *rest[1:]]


def refuse(arguments: Sequence[str]) -> None:
    """Refuse arguments that have no counterpart."""
    for argument in arguments:
        for name, reason in REFUSED.items():
            if argument.startswith(name):
                raise UnsupportedError(f"s2s tvmc {argument.partition('=')[0]}: {reason}; leave it out")


def _compile_parser(parser: argparse.ArgumentParser) -> None:
    _model_arguments(parser)
    parser.add_argument("-o", "--output", default="module.tar", help="the package")
    parser.add_argument("-f", "--output-format", choices=["so", "tar", "mlf"], default="so")
    parser.add_argument("--cross-compiler", default="", help="the compiler of the library, by default the target's")
    parser.add_argument("--cross-compiler-options", default="")
    parser.add_argument("--dump-code", default="", help="texts beside the package: relay, c")
    parser.add_argument("--pass-config", action="append", metavar="KEY=VALUE")
    parser.add_argument("--disabled-pass", default="", help="passes with commas between them")
    parser.add_argument("-O", "--opt-level", type=int, choices=range(5), default=3)
    parser.add_argument("--executor", choices=["graph", "aot"], default="graph")
    parser.add_argument("--runtime", choices=["cpp", "crt"], default="cpp")
    parser.add_argument("--module-name", default="default")
    generate_workspace_pools_args(parser)
    parser.set_defaults(action=_compile)


def _run_parser(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("FILE", help="the package")
    parser.add_argument("--device", default="cpu", help="cpu: packages run on this machine")
    parser.add_argument("-i", "--inputs", help="inputs by name (.npz)")
    parser.add_argument("-o", "--outputs", help="where outputs are written (.npz)")
    parser.add_argument("--fill-mode", choices=FILL_MODES, default="random", help="of inputs that are not given")
    parser.add_argument("--print-time", action="store_true")
    parser.add_argument("--print-top", type=int, metavar="N", help="print the N largest values of each output")
    parser.add_argument("--profile", action="store_true", help="print the time of each kernel")
    parser.add_argument("--end-to-end", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--number", type=int, default=1)
    parser.add_argument("--rpc-tracker")
    parser.add_argument("--rpc-key")
    parser.add_argument("-v", "--verbose", action="count", default=0)
    parser.set_defaults(action=_run)


def _tune_parser(parser: argparse.ArgumentParser) -> None:
    _model_arguments(parser)
    parser.add_argument("-o", "--output", required=True, help="the log")
    parser.add_argument("--trials", type=int, default=10000, help="measurements of each kernel at most")
    parser.add_argument("--tuner", choices=list(TUNERS), default="xgb")
    parser.add_argument("--early-stopping", type=int)
    parser.add_argument("--min-repeat-ms", type=int)
    parser.add_argument("--number", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--tasks", default="all", help="numbers and names of kernels")
    parser.add_argument("--rpc-tracker", help="the scheduler of a farm, host:port")
    parser.add_argument("--rpc-key", help="the place that workers measure in")
    parser.set_defaults(action=_tune)


def _model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("FILE", help="the model")
    parser.add_argument(
        "--target",
        required=True,
        help="the processor, as llvm, `c -mcpu=cortex-m4` or cortex-m4;"
        " code generators stand before it, as `cmsis-nn, c`",
    )
    parser.add_argument("--target-host")
    parser.add_argument("--model-format", choices=list(READERS))
    parser.add_argument("--input-shapes", help="as data:[1,3,224,224] mask:[1,8]")
    parser.add_argument("--tuning-records", help="a log of AutoTVM")
    parser.add_argument("-v", "--verbose", action="count", default=0)


def _compile(parsed: argparse.Namespace, rest: Sequence[str]) -> int:
    extra = {kind: attributes(rest, kind) for kind in ("target", "executor", "runtime")}
    _check_rest(rest)
    executor, runtime = parsed.executor, parsed.runtime
    package = compile_model(
        load_model(parsed.FILE, parsed.model_format, shapes_of(parsed.input_shapes)),
        parsed.target,
        parsed.opt_level,
        Executor(executor, {name: _value(text) for name, text in extra["executor"].get(executor, {}).items()}),
        Runtime(runtime, {name: _value(text) for name, text in extra["runtime"].get(runtime, {}).items()}),
        parsed.tuning_records,
        parsed.output,
        parsed.cross_compiler,
        parsed.cross_compiler_options,
        parsed.output_format,
        parsed.dump_code,
        "",
        parsed.target_host,
        parsed.disabled_pass,
        parsed.pass_config,
        extra["target"],
        mod_name=parsed.module_name,
        workspace_pools=workspace_pools_recombobulate(parsed, *_targets(parsed.target, extra["target"])),
    )
    print(package.package_path)  # noqa: T201
    return 0


def _targets(text: str, options: Extra) -> tuple[list[Target], list[dict[str, Any]]]:
    """The target, and the generators beside it."""
    target, extra = target_from_cli(text, options)
    return [target], extra


def _run(parsed: argparse.Namespace, rest: Sequence[str]) -> int:
    _check_rest(rest)
    inputs = dict(np.load(parsed.inputs)) if parsed.inputs else None
    host, port = tracker_host_port_from_cli(parsed.rpc_tracker)
    result = run_module(
        TVMCPackage(parsed.FILE),
        parsed.device,
        host,
        port or PORT,
        rpc_key=parsed.rpc_key,
        inputs=inputs,
        fill_mode=parsed.fill_mode,
        benchmark=parsed.print_time,
        repeat=parsed.repeat,
        number=parsed.number,
        profile=parsed.profile,
        end_to_end=parsed.end_to_end,
    )
    if parsed.print_time:
        print(result.format_times())  # noqa: T201
    for name, value in result.outputs.items() if parsed.print_top else ():
        flat = np.asarray(value, np.float64).reshape(-1)
        order = np.argsort(-flat)[: parsed.print_top]
        print(name, order.tolist(), flat[order].tolist())  # noqa: T201
    if parsed.outputs:
        result.save(parsed.outputs)
    return 0


def _tune(parsed: argparse.Namespace, rest: Sequence[str]) -> int:
    extra = attributes(rest, "target")
    _check_rest(rest)
    host, port = tracker_host_port_from_cli(parsed.rpc_tracker)
    log = tune_model(
        load_model(parsed.FILE, parsed.model_format, shapes_of(parsed.input_shapes)),
        parsed.target,
        parsed.output,
        parsed.tuning_records,
        rpc_key=parsed.rpc_key,
        hostname=host,
        port=port,
        trials=parsed.trials,
        target_host=parsed.target_host,
        tuner=parsed.tuner,
        min_repeat_ms=parsed.min_repeat_ms,
        early_stopping=parsed.early_stopping,
        timeout=parsed.timeout,
        repeat=parsed.repeat,
        number=parsed.number,
        parallel=parsed.parallel,
        additional_target_options=extra,
        tasks_filter=parsed.tasks,
    )
    print(log)  # noqa: T201
    return 0


def attributes(rest: Sequence[str], what: str) -> Extra:
    """Return the attributes of targets, executors or runtimes that arguments give, by kind."""
    values: Extra = {}
    for at, argument in enumerate(rest):
        name, separator, value = argument.partition("=")
        words = name.removeprefix("--").split("-", 2)
        if argument.startswith("--") and len(words) == 3 and words[0] == what:
            follows = rest[at + 1] if at + 1 < len(rest) else "1"
            values.setdefault(words[1], {})[words[2]] = value if separator else follows
    return values


def _check_rest(rest: Sequence[str]) -> None:
    """Refuse arguments that are no attributes."""
    for at, argument in enumerate(rest):
        before = rest[at - 1] if at else ""
        is_value = not argument.startswith("-") and before.startswith("--") and "=" not in before
        if not is_value and argument.removeprefix("--").split("-")[0] not in ("target", "executor", "runtime"):
            raise TVMCException(f"s2s tvmc: {argument} is not known; see s2s tvmc compile --help")


def _value(text: str) -> bool | int | str:
    """The value of an option: true, false, 0 and 1 are Booleans."""
    if text.lower() in ("true", "1"):
        return True
    if text.lower() in ("false", "0"):
        return False
    return int(text) if text.isdigit() else text


def shapes_of(text: str | None) -> dict[str, tuple[int, ...]] | None:
    """Return the shapes of inputs by name, of `data:[1,3,224,224] mask:[1,8]`."""
    if not text:
        return None
    try:
        written = parse_shape_string(text)
    except argparse.ArgumentTypeError as error:
        raise TVMCException(str(error)) from None
    shapes = {name: tuple(size for size in sizes if isinstance(size, int)) for name, sizes in written.items()}
    is_open = next((name for name, sizes in written.items() if len(sizes) != len(shapes[name])), None)
    if is_open is not None:
        raise UnsupportedError(f"--input-shapes {is_open}: packages have constant sizes; give each size a number")
    return shapes


__all__ = ["main"]
