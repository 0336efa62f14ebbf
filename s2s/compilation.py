"""A compilation in stages, from a model to a tree of C, which can be inspected at each stage and resumed from it.

    compilation = Compilation("kws.tflite", CompileOptions(target="cortex-m4", ram_budget="min"))
    compilation.at("tensor").module                       scheduled kernels
    compilation.facts(Planned).arena                      bytes of the memory plan
    smaller = compilation.resume(replace(compilation.options, scratch=128))
    smaller.facts(Planned).arena                          runs what the change affects, and nothing else

A stage runs when it is asked for. What `at` has given stays as it is: later stages go on from a copy.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from s2s.analysis.cost.kernels import KernelCost
from s2s.emit.files import Tree
from s2s.emit.info import NetworkInfo
from s2s.errors import CompilerBug, InputError
from s2s.frontends.carried import with_caches
from s2s.frontends.model import GraphModel, Source, snapshot
from s2s.options import CompileOptions
from s2s.options.declaration import seen_by
from s2s.passes.context import CompilerContext
from s2s.passes.manager import PassManager
from s2s.pipeline import passes_of, pipeline
from s2s.stages.check_options import check_options
from s2s.stages.devices import DeviceKernels, kernels_of, parts_of, targets_of_devices
from s2s.stages.failure import PassFailure, attach
from s2s.stages.memory import Planned
from s2s.stages.order import STAGES, Stage, maker_of, place_of
from s2s.stages.read import Read, read_network
from s2s.stages.request import Findings, Request, exact_key
from s2s.stages.state import Facts, State
from s2s.stages.tensor import Scheduled
from s2s.stages.tree import Written, network_info
from s2s.support.garbage import rare_collections
from s2s.types.devices import MAIN
from s2s.types.sizes import sizes_of
from s2s.types.weights import WeightStore

F = TypeVar("F")


class Compilation:
    """The compilation of a model with options."""

    def __init__(self, source: Source, options: CompileOptions, findings: Findings | None = None) -> None:
        """Begin with the model as it is now: what the caller does to `source` afterwards changes nothing here."""
        source, options = with_caches(snapshot(source), options)
        self._begin(source, options, findings if findings is not None else Findings())

    def _begin(self, source: Source, options: CompileOptions, findings: Findings) -> None:
        check_options(options)
        _check_pass_names(options)
        self.source = source
        self.request = Request(options, findings)
        self._manager = PassManager(options.debug, passes=options.passes)
        self._kept: dict[str, State] = {}
        """States that stay as they are, by their stage."""
        self._last: State | None = None
        """The furthest state, which the next stage goes on with."""
        self._end: State | None = None
        self._facts = Facts()

    @classmethod
    def of_state(cls, state: State, options: CompileOptions) -> "Compilation":
        """Return the compilation that continues from `state`, made by hand or taken from another compilation."""
        made = cls(GraphModel(state.module, {}, state.facts[Read].name), options)
        made._kept[state.stage], made._facts = state, state.facts
        return made

    @property
    def options(self) -> CompileOptions:
        """The options of the compilation; once the network is read, `dims` holds all sizes that vary."""
        return self.request.options

    def at(self, stage: str) -> State:
        """Return the state after `stage`, which later stages do not change."""
        self._kept[stage] = self._run_to(place_of(stage))
        return self._kept[stage]

    def facts(self, kind: type[F]) -> F:
        """Return the facts of type `kind`, after running the stages up to the one that makes them."""
        if kind not in self._facts:
            self._run_to(place_of(maker_of(kind)))
        return self._facts[kind]

    def resume(self, options: CompileOptions | None = None, *, findings: Findings | None = None) -> "Compilation":
        """Return the compilation of the same model with other options, which continues from the last state here that
        the change does not affect. Stages that `at` has given here are such states, and the furthest one."""
        other = Compilation.__new__(Compilation)
        other._begin(
            self.source,
            options if options is not None else self.options,
            findings if findings is not None else self.request.findings,
        )
        if _observed(other.options) == _observed(self.options):
            other._manager = self._manager
        if self._last is not None:
            self._kept[self._last.stage] = self._last
        for stage in STAGES:
            if stage.inputs(self.request) != stage.inputs(other.request):
                break
            if stage.name in self._kept:
                other._kept[stage.name] = self._kept[stage.name]
            if stage.makes is not None and stage.makes in self._facts:
                other._facts = other._facts.extended(self._facts.found[stage.makes])
        return other

    def run(self) -> State:
        """The state at C, or after the pass that `stop_after` names."""
        if self._end is None:
            name = self.options.debug.stop_after
            self._end = self._run_to(place_of("c")) if name is None else self._after(name)
            self._manager.finish()
        return self._end

    @property
    def info(self) -> NetworkInfo:
        """Return the facts that emission needs beside the C: names, shapes, sizes."""
        self._run_to(place_of("c"))
        return network_info(self._facts, STAGES[place_of("tree")].request(self.request))

    @property
    def tree(self) -> Tree:
        """The files of the emitted tree, in memory."""
        return self.facts(Written).tree

    @property
    def costs(self) -> Mapping[str, KernelCost]:
        """Return the arithmetic and the memory traffic of each kernel, by its name in C."""
        costs, names = self.facts(Scheduled).costs, self.facts(Planned).names
        return {names[name]: cost for name, cost in costs.items() if name in names}

    def _run_to(self, place: int) -> State:
        """Run the stages up to number `place`, starting from the latest state."""
        known = [*self._kept.values(), *([] if self._last is None else [self._last])]
        before = [each for each in known if place_of(each.stage) <= place]
        state = max(before, key=lambda each: place_of(each.stage)) if before else self._read()
        with rare_collections():
            for stage in STAGES[place_of(state.stage) + 1 : place + 1]:
                state = self._advanced(state, stage)
        if self._last is None or place_of(self._last.stage) < place:
            self._last = state
        return state

    def _read(self) -> State:
        state = read_network(self.source, seen_by(self.options, "read"))
        self._facts = self._facts.extended(state.facts[Read])
        sizes = sizes_of(state.module.attributes)
        if not sizes.keys() <= self.options.dims.keys():
            options = replace(self.options, dims={**sizes, **self.options.dims})
            check_options(options)
            self.request = replace(self.request, options=options)
        return state

    def _advanced(self, state: State, stage: Stage) -> State:
        """Return the state after `stage`, which modifies `state` unless that is kept."""
        if not passes_of(stage.name, self._named()):
            self._kept[state.stage] = state
        else:
            state = self._open(state)
            self._apply(state, stage.name, verify=stage.verified)
        reached = replace(state, stage=stage.name)
        if stage.makes is None or stage.facts is None:
            return reached
        if stage.makes not in self._facts:
            self._facts = self._facts.extended(stage.facts(reached, stage.request(self.request)))
        return replace(reached, facts=reached.facts.extended(self._facts.found[stage.makes]))

    def _open(self, state: State) -> State:
        """Return `state` for passes to modify: a copy if it is kept."""
        if any(each.module is state.module for each in self._kept.values()):
            return state.copy()
        if self._last is not None and self._last.module is state.module:
            self._last = None
        return state

    def _after(self, name: str) -> State:
        """The state after the first pass called `name`."""
        self._run_to(0)
        for number, stage in enumerate(STAGES):
            passes = passes_of(stage.name, self.options)
            names = [each.name for each in passes]
            if name in names:
                state = self._open(self._run_to(number - 1))
                with rare_collections():
                    self._apply(state, stage.name, last=name)
                return state
        raise CompilerBug(f"no pass {name} runs here; the name was checked")

    def _apply(self, state: State, stage: str, *, last: str | None = None, verify: bool = True) -> None:
        """Run the passes of a stage, up to the one called `last`; passes that read targets run for each device in
        turn."""
        parts = parts_of(stage, self._named(), state.module)
        for part in parts:
            passes = passes_of(stage, part.options)
            names = [each.name for each in passes]
            passes = passes[: names.index(last) + 1] if last in names else passes
            context = self._context(state, part, STAGES[place_of(stage)].decides)
            with kernels_of(state.module, part, alone=len(parts) == 1):
                try:
                    self._manager.run(context, state.module, passes, verify=verify)
                except Exception as error:
                    about = (self.source, self.options, self.request.findings)
                    attach(error, PassFailure(*about, stage, part.device, self._manager.begun - 1))
                    raise

    def before(self, failure: PassFailure) -> tuple[str, list[str], WeightStore]:
        """The text of the module before the pass that failed, the passes of its stage from that one on, as `s2s-opt`
        takes them, and the weights. The stages before run again."""
        state = self._open(self._run_to(place_of(failure.stage) - 1))
        parts = parts_of(failure.stage, self._named(), state.module)
        for part in parts:
            passes = passes_of(failure.stage, part.options)
            context = self._context(state, part, STAGES[place_of(failure.stage)].decides)
            with kernels_of(state.module, part, alone=len(parts) == 1):
                if part.device == failure.device:
                    self._manager.run(context, state.module, passes[: failure.number], verify=False)
                    return str(state.module), [str(each.spec()) for each in passes[failure.number :]], state.weights
                self._manager.run(context, state.module, passes, verify=False)
        raise CompilerBug(f"no device {failure.device} is compiled in the stage {failure.stage}")

    def _context(self, state: State, part: DeviceKernels, kinds: tuple[str, ...]) -> CompilerContext:
        given = self.request.given if part.device == MAIN else Request(part.options).given
        return CompilerContext(state.weights, [*targets_of_devices(self.options), part.target], given.of(kinds))

    def _named(self) -> CompileOptions:
        """Return the options with the C name of the network."""
        return replace(self.options, name=self._facts[Read].name)


def _observed(options: CompileOptions) -> object:
    """Return a key of what looks on while passes run."""
    return exact_key((options.debug, options.passes))


def _check_pass_names(options: CompileOptions) -> None:
    """Refuse the name of a pass that does not run, since it would have no effect."""
    debug = options.debug
    asked = {"--print-ir-after": debug.print_ir_after, "--stop-after": (debug.stop_after,)}
    wanted = [(option, name) for option, names in asked.items() for name in names if name not in (None, "all")]
    if not wanted:
        return
    names = dict.fromkeys(each.name for passes in pipeline(options).values() for each in passes)
    for option, name in wanted:
        if name not in names:
            raise InputError(f"{option}: no pass {name} runs here; the passes are {', '.join(names)}")
