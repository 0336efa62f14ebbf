"""Several compiled networks in one tree: one runtime, one arena, equal kernels and constants once.

kws, ic = (s2s.compile(path, target="cortex-m4") for path in ("kws.onnx", "ic.onnx"))
models = s2s.together([kws, ic], name="models")
models.write("models")
"""

from collections.abc import Sequence
from dataclasses import asdict, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from xdsl.dialects.builtin import ModuleOp, StringAttr

from s2s.artifact import Artifact
from s2s.c_syntax.identifiers import SIGNIFICANT, c_identifier
from s2s.dialects import c
from s2s.emit.files import Tree
from s2s.emit.info import Measured, TogetherInfo
from s2s.emit.together import render_together
from s2s.errors import InputError, UnsupportedError
from s2s.joint.memories import check_room, fitted, joint_memories
from s2s.memory.regions import Arena, place_arenas
from s2s.passes.c.parametrise_kernels import ParametriseKernelsPass
from s2s.passes.c.remove_unroll_hints import RemoveUnrollHintsPass
from s2s.passes.c.share_between_networks import ShareBetweenNetworksPass
from s2s.passes.context import CompilerContext
from s2s.passes.manager import PassManager
from s2s.stages.check_options import check_joined
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore

if TYPE_CHECKING:
    from s2s.verify.build import LoadedNetwork
    from s2s.verify.verification import Verification

Share = Literal["equal", "alike"]
SHARES: tuple[Share, ...] = ("equal", "alike")
DEFAULT_NAME = "models"


@frozen
class JointReport:
    """Figures of several networks in one tree, in bytes. Those that need the C compiler are None until measured."""

    name: str
    target: str
    networks: tuple[str, ...]
    concurrent: bool
    share: Share
    """Which kernels are shared; `alike` makes the code smaller and slower."""
    kernels: int
    """Functions that compute."""
    shared_kernels: int
    """Kernels that several calls share."""
    arena: int
    arenas: dict[str, int]
    """What each network would take alone."""
    memories: dict[str, int]
    """The bytes of the arena in each memory pool, or in the memory of each device; empty if it is one."""
    ram: int
    """The arena, and inputs and outputs outside of it."""
    weights: int
    shared_weights: int
    """Bytes of the constants that several calls share."""
    measured_by: str | None = None
    flash: int | None = None
    code: int | None = None
    stack: int | None = None
    stacks: dict[str, int | None] = field(default_factory=dict[str, int | None])
    """The deepest stack of each network's run function."""

    def as_dict(self) -> dict[str, Any]:
        """The figures in order; figures that were not measured are left out."""
        return {key: value for key, value in asdict(self).items() if value not in (None, {})}


class JointArtifact:
    """The result of `s2s.together`."""

    def __init__(
        self, artifacts: Sequence[Artifact], name: str, *, concurrent: bool, share: Share, share_state: bool
    ) -> None:
        _check(artifacts, name, share)
        if share_state:
            _check_states(artifacts, concurrent=concurrent)
        self.networks = {artifact.name: artifact for artifact in fitted(artifacts, concurrent=concurrent)}
        self.name = name
        self._share: Share = share
        self._measured: Measured | None = None
        self._stacks: dict[str, int | None] = {}
        self._module, self._weights = self._joined()
        self._info = self._described(concurrent, share_state)
        self._loaded: dict[str, LoadedNetwork] = {}

    def __repr__(self) -> str:
        return f"JointArtifact({self.name!r}, networks={list(self.networks)!r})"

    @property
    def info(self) -> TogetherInfo:
        """Names, places of arenas and sizes."""
        return replace(self._info, measured=self._measured)

    def tree(self) -> Tree:
        """The files of the emitted tree, in memory."""
        return render_together(self._module, self.info, self._weights)

    def write(self, destination: str | Path) -> Path:
        """Write the tree to `destination`, whole or not at all."""
        path = Path(destination)
        target = self._info.networks[0].target
        options = next(iter(self.networks.values())).compilation.options
        if target.cc or (options.flash_budget, options.stack_budget) != (None, None):
            self.measure()
            from s2s.verify.figures import check_budgets

            whole = replace(self._info.networks[0], name=self.name, measured=self._measured)
            check_budgets(whole, options.flash_budget, options.stack_budget)
        self.tree().write(path)
        return path

    def measure(self) -> Measured | None:
        """Measure the tree with the compiler of its target; None if that is not installed."""
        if self._measured is None:
            from s2s.verify.figures import measure_together

            self._stacks, self._measured = measure_together(self.tree(), self._info)
        return self._measured

    def report(self, *, measure: bool = False) -> JointReport:
        """The figures; with `measure`, also the ones that the C compiler knows."""
        known = self.tree().record
        info, found = self._info, self.measure() if measure else None
        own = {kernel for each in known["networks"].values() for kernel in each["kernels"]}
        shared = known["shared"]
        report = JointReport(
            name=self.name,
            target=info.networks[0].target.name,
            networks=tuple(self.networks),
            concurrent=info.concurrent,
            share=self._share,
            kernels=len(own) + len(shared["kernels"]),
            shared_kernels=len(shared["kernels"]),
            arena=info.arena_size,
            arenas={each.name: each.arena_size for each in info.networks},
            memories={each.name: each.size for each in info.memories},
            ram=info.arena_size + sum(each.ports_size for each in info.networks),
            weights=known["weights"]["size"],
            shared_weights=sum(each["size"] for each in shared["weights"]),
        )
        if found is None:
            return report
        return replace(
            report,
            measured_by=found.by,
            flash=found.flash,
            code=found.code,
            stack=found.stack,
            stacks=dict(self._stacks),
        )

    def loaded(self, network: str) -> "LoadedNetwork":
        """Build the tree by the C compiler, once, and return one of its networks."""
        if network not in self.networks:
            raise InputError(f"{network}: {self.name} has no such network; it has {', '.join(self.networks)}")
        if not self._loaded:
            from s2s.verify.build import load_all

            progress.step("compiling the C")
            self._loaded = load_all(self.tree())
        return self._loaded[network]

    def verify(self, *, seed: int | None = None, levels: bool = False) -> "dict[str, Verification]":
        """Run each network from the common tree on sample inputs, and compare it as `Artifact.verify` does."""
        found: dict[str, Verification] = {}
        for name, artifact in self.networks.items():
            found[name] = Artifact(artifact.compilation, self.loaded(name)).verify(seed=seed, levels=levels)
        return found

    def close(self) -> None:
        """Unload what was built and remove its files."""
        for loaded in self._loaded.values():
            loaded.close()
        self._loaded = {}

    def __enter__(self) -> "JointArtifact":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _joined(self) -> tuple[ModuleOp, WeightStore]:
        """Return the networks as one module each within a module, with their constants, after sharing."""
        weights = WeightStore()
        stored: dict[str, str] = {}
        modules: list[ModuleOp] = []
        for name, artifact in self.networks.items():
            state = artifact.compilation.at("c")
            copy = state.module.clone()
            copy.sym_name = StringAttr(name)
            for op in copy.ops:
                if isinstance(op, c.GlobalOp) and op.weight is not None:
                    values = state.weights.get(op.weight.data)
                    content = f"{op.type} {_digest(state.weights, op.weight.data)}"
                    if content not in stored:
                        stored[content] = weights.add(op.weight.data, values)
                    op.weight = StringAttr(stored[content])
            modules.append(copy)
        _check_symbols(modules)
        module = ModuleOp(list(modules))
        alike = [RemoveUnrollHintsPass(), ParametriseKernelsPass()] if self._share == "alike" else []
        PassManager().run(CompilerContext(weights), module, [*alike, ShareBetweenNetworksPass(self.name)])
        return module, weights

    def _described(self, concurrent: bool, share_state: bool) -> TogetherInfo:
        infos = tuple(replace(artifact.info, measured=None) for artifact in self.networks.values())
        arenas = [Arena(each.arena_size, each.arena_align, bool(each.states)) for each in infos]
        regions = place_arenas(arenas, concurrent=concurrent, share_state=share_state)
        memories = joint_memories(infos, concurrent=concurrent, share_state=share_state)
        options = next(iter(self.networks.values())).compilation.options
        check_room(self.name, self._module, memories, infos, options)
        return TogetherInfo(
            name=self.name,
            networks=infos,
            offsets=regions.offsets,
            arena_size=sum(memory.size for memory in memories) if memories else regions.size,
            arena_align=regions.align,
            concurrent=concurrent,
            shares_state=share_state,
            memories=memories,
        )


def together(
    artifacts: Sequence[Artifact],
    *,
    name: str = DEFAULT_NAME,
    concurrent: bool = False,
    share: Share = "equal",
    share_state: bool = False,
) -> JointArtifact:
    """Join compiled networks to one tree called `name`.

    The common arena is as large as the largest network's, as they run one after the other; with `concurrent` each has
    bytes of its own. `share` says which kernels are shared: those that are equal, or also those that are alike but for
    numbers, which become parameters. With these no loop is unrolled by the C compiler: the code is smaller and slower.
    With `share_state` networks that keep equal states go on with each other's, as the prefill and the decode step of a
    language model do.
    """
    return JointArtifact(list(artifacts), name, concurrent=concurrent, share=share, share_state=share_state)


def _check_states(artifacts: Sequence[Artifact], *, concurrent: bool) -> None:
    """Refuse networks that cannot go on with each other's state."""
    stateful = [artifact for artifact in artifacts if artifact.info.states]
    if concurrent:
        raise InputError("--concurrent: networks that share their state run one after the other; leave one of them out")
    if len(stateful) < 2:
        raise InputError("--share-state: fewer than two of the networks keep state; leave it out")
    for artifact in stateful[1:]:
        if artifact.info.states != stateful[0].info.states:
            raise InputError(f"{artifact.name}: its state is not that of {stateful[0].name}; leave --share-state out")


def _check(artifacts: Sequence[Artifact], name: str, share: str) -> None:
    """Refuse networks that cannot be in one tree."""
    if not artifacts:
        raise InputError(f"{name}: there is no network to put into it; give at least one")
    if share not in SHARES:
        raise InputError(f"--share {share}: is not known; give {' or '.join(SHARES)}")
    if c_identifier(name, SIGNIFICANT) != name:
        raise InputError(f"--name {name}: names in C start with it; try {c_identifier(name, SIGNIFICANT)}")
    if pushed := next((each for each in artifacts if each.info.pushed is not None), None):
        raise UnsupportedError(
            f"{pushed.name}: keeps rows of a frame in an arena that others write to between them; leave --push out, or "
            "write a tree of its own"
        )
    if cut := next((each for each in artifacts if each.info.steps is not None), None):
        raise UnsupportedError(
            f"{cut.name}: keeps a run in an arena that others write to between steps; leave --steps out, or write a "
            "tree of its own"
        )
    if packed := next((each for each in artifacts if each.info.pack), None):
        raise UnsupportedError(
            f"{packed.name}: a tree of several networks shares weights, and packs do not; leave --weights out, or "
            "write a tree of its own"
        )
    names = [artifact.name for artifact in artifacts]
    for each in names:
        if each == name or names.count(each) > 1:
            raise InputError(
                f"{each}: tree and networks need different names; rename one, by --name or in its file name"
            )
    for artifact in artifacts:
        first = artifacts[0]
        check_joined(artifact.name, artifact.compilation.options, first.name, first.compilation.options)


def _check_symbols(modules: Sequence[ModuleOp]) -> None:
    """Refuse two objects of one external name."""
    seen: dict[str, ModuleOp] = {}
    for module in modules:
        for op in module.ops:
            if not isinstance(op, c.FuncOp | c.GlobalOp) or op.static is not None:
                continue
            if isinstance(op, c.FuncOp) and not op.body.blocks:
                continue
            symbol = op.sym_name.data
            if seen.setdefault(symbol, module) is not module:
                raise InputError(f"{symbol}: two networks define this name in C; give one of them another name")


def _digest(weights: WeightStore, name: str) -> str:
    """Return the hash of a weight's bytes, whatever its shape."""
    array = weights.get(name)
    flat = WeightStore()
    return flat.hash(flat.add(name, array.reshape(-1)))
