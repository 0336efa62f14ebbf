"""`tvmc.compile`: a model as a package."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from s2s.errors import UnsupportedError
from s2s.tvm import autotvm
from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.driver.tvmc.model import TVMCModel, TVMCPackage
from s2s.tvm.driver.tvmc.pass_config import parse_configs
from s2s.tvm.driver.tvmc.target import target_from_cli, validate_targets
from s2s.tvm.relay.factory import DEFAULT_NAME, ExecutorFactory, build
from s2s.tvm.relay.memory_pools import WorkspaceMemoryPools
from s2s.tvm.relay.options import Executor, Runtime
from s2s.tvm.target import Target
from s2s.tvm.transform import PassContext

DUMPS = ("relay", "c")
"""What is written beside a package on request."""
REFUSED = {
    "desired_layout": "layouts are chosen by the compiler",
    "desired_layout_ops": "layouts are chosen by the compiler",
    "dump_offloads": "`s2s inspect --why` tells who computes each operator",
    "mixed_precision": "convert the model before it is read",
    "mixed_precision_acc_type": "convert the model before it is read",
    "mixed_precision_calculation_type": "convert the model before it is read",
    "mixed_precision_ops": "convert the model before it is read",
    "use_vm": "there is no virtual machine; use executor graph or aot",
}
"""Arguments of TVM's call that have no counterpart, and the reason."""


def compile_model(
    tvmc_model: TVMCModel,
    target: str | Target,
    opt_level: int = 3,
    executor: Executor | str = "graph",
    runtime: Runtime | str = "cpp",
    tuning_records: str | Path | None = None,
    package_path: str | Path | None = None,
    cross: str | None = None,
    cross_options: str | None = None,
    output_format: str = "so",
    dump_code: Sequence[str] | str | None = None,
    dump_offloads: str = "",
    target_host: str | None = None,
    disabled_pass: Sequence[str] | str | None = None,
    pass_context_configs: Sequence[str] | None = None,
    additional_target_options: Mapping[str, Mapping[str, Any]] | None = None,
    use_vm: bool = False,
    mod_name: str = DEFAULT_NAME,
    workspace_pools: WorkspaceMemoryPools | None = None,
    instruments: Sequence[object] | None = None,
    **others: Any,
) -> TVMCPackage:
    """Compile a model for a target and write the package.

    `tuning_records` is a log of AutoTVM. `pass_context_configs` are texts `key=value`; `disabled_pass` names passes
    with commas between them; `additional_target_options` are attributes by the kind of a target. `dump_code` writes
    `relay` (the network) or `c` (its code) beside the package.
    """
    for name, value in {"dump_offloads": dump_offloads, "use_vm": use_vm, **others}.items():
        if name not in REFUSED:
            raise TVMCException(f"tvmc.compile: {name} is not known; see the arguments of tvmc.compile")
        if value:
            raise UnsupportedError(f"tvmc.compile: {name}: {REFUSED[name]}; leave it out")
    named, generators = target_with(target, additional_target_options or {})
    context = PassContext(
        opt_level=opt_level,
        disabled_pass=words(disabled_pass),
        instruments=instruments,
        config=parse_configs(pass_context_configs),
    )
    records = autotvm.apply_history_best(str(tuning_records)) if tuning_records else nullcontext()
    with records, context:
        factory = build(
            tvmc_model.mod,
            named,
            target_host,
            executor,
            runtime,
            workspace_pools,
            None,
            tvmc_model.params,
            mod_name,
            generators,
        )
        path = tvmc_model.export_package(factory, package_path, cross, cross_options, output_format)
    dump(factory, words(dump_code), Path(path))
    return TVMCPackage(path)


def target_with(target: str | Target, options: Mapping[str, Mapping[str, Any]]) -> tuple[Target, list[str]]:
    """Return a target with further attributes of its kind, and the names of the code generators beside it."""
    if isinstance(target, Target):
        validate_targets([{"name": target.kind.name, "is_tvm_target": True}], options)
        added = "".join(f" -{name}={value}" for name, value in options.get(target.kind.name, {}).items())
        return (Target(f"{target}{added}", target.host) if added else target), []
    named, extra = target_from_cli(target, options)
    wrong = next((each for each in extra if each["opts"]), None)
    if wrong is not None:
        raise UnsupportedError(f"target {wrong['raw']}: generators have no options; leave them out")
    return named, [each["name"] for each in extra]


def words(text: Sequence[str] | str | None) -> list[str]:
    """The words of a text with commas between them, or of a list."""
    return [word for word in text.split(",") if word] if isinstance(text, str) else list(text or ())


def dump(factory: ExecutorFactory, kinds: Sequence[str], path: Path) -> None:
    """Write texts of the network beside the package."""
    wrong = next((kind for kind in kinds if kind not in DUMPS), None)
    if wrong is not None:
        raise UnsupportedError(f"dump_code {wrong}: there is no such text; give {' or '.join(DUMPS)}")
    texts = {kind: str(factory.ir_mod) if kind == "relay" else factory.get_source() for kind in kinds}
    save_dumps(path.name, texts, path.parent)


def save_dumps(module_name: str, dumps: Mapping[str, str], dump_root: str | Path = ".") -> None:
    """Write texts of a module into a folder: `<module_name>.<kind>` for each kind of text."""
    for kind, text in dumps.items():
        Path(dump_root, f"{module_name}.{kind}").write_text(text, encoding="utf-8")


__all__ = ["compile_model", "save_dumps"]
