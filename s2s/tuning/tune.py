"""The tuner: measures candidates of a network and of its kernels, and appends what it finds to a file of records."""

from collections.abc import Sequence
from pathlib import Path

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.frontends.model import Source
from s2s.options import CompileOptions
from s2s.stages.settle import Settled
from s2s.support import progress
from s2s.tuning.campaign import Campaign, TuneOptions
from s2s.tuning.measurement import ErrorKind, Goal
from s2s.tuning.measurer import Candidate, Incumbent, Measurer
from s2s.tuning.network import network_task
from s2s.tuning.network_search import NetworkSearch
from s2s.tuning.open_decision import table_of
from s2s.tuning.places import default_target, make_measurer
from s2s.tuning.records import NETWORK, Decided, RecordFile
from s2s.tuning.resumable import merged
from s2s.tuning.summary import OnProgress, TuneSummary
from s2s.tuning.task import Task, tasks_of
from s2s.tuning.task_search import TaskSearch

MINOR = 0.02
"""Tasks with less than this share of the network's cost get a quarter of the trials."""
NETWORK_SHARE = 0.25
"""Of the time, for decisions about the whole network."""


def tune_model(
    model: Source,
    records: str | Path,
    *,
    compile_options: CompileOptions | None = None,
    target: str | None = None,
    on: str = "host",
    options: TuneOptions | None = None,
    board: str = "",
    load: str = "",
    parallel: int | None = None,
    on_progress: OnProgress | None = None,
) -> TuneSummary:
    """Tune `model` and append what is measured to the file `records`.

    `on` is where candidates run: `host`, an emulated board such as `qemu:m4`, or `serial:PORT`, with the kind of
    `board` and the command that loads a program onto it. The target of the board is the default one.
    """
    chosen = compile_options
    if chosen is None:
        chosen = CompileOptions(target=target or default_target(on, board))
    measurer = make_measurer(on, parallel=parallel, board=board, load=load)
    return tune_network(Compilation(model, chosen), records, measurer, options, on_progress)


def tune_network(
    compilation: Compilation,
    records: str | Path,
    measurer: Measurer,
    options: TuneOptions | None = None,
    on_progress: OnProgress | None = None,
) -> TuneSummary:
    """Tune the decisions about a whole network, then the schedules of the kernels that it has with the best of them.

    Of `options.only`, `network` stands for the former; with other names, only these kernels are tuned. An interruption
    ends tuning; what was measured stays in the file.
    """
    options = options if options is not None else TuneOptions()
    goal = _goal(options, measurer)
    measurer.require()
    layers = [each for each in options.only if each != NETWORK]
    if layers and NETWORK not in options.only:
        progress.step("finding tasks")
        return tune_tasks(tasks_of(compilation), records, measurer, options, on_progress)
    with RecordFile(records) as file:
        target = compilation.options.target.name
        campaign = Campaign(file, measurer, options, goal, target, on_progress)
        try:
            _tune_whole(compilation, campaign, layers)
        except KeyboardInterrupt:
            campaign.summary.interrupted = True
    return campaign.summary


def tune_tasks(
    tasks: Sequence[Task],
    records: str | Path,
    measurer: Measurer,
    options: TuneOptions | None = None,
    on_progress: OnProgress | None = None,
) -> TuneSummary:
    """Tune `tasks`, of one network and target. An interruption ends tuning; what was measured stays in the file."""
    options = options if options is not None else TuneOptions()
    chosen, goal = _only(tasks, options.only), _goal(options, measurer)
    measurer.require()
    target = tasks[0].options.target.name if tasks else ""
    with RecordFile(records) as file:
        campaign = Campaign(file, measurer, options, goal, target, on_progress)
        try:
            _tune_kernels(chosen, campaign)
        except KeyboardInterrupt:
            campaign.summary.interrupted = True
    return campaign.summary


def _goal(options: TuneOptions, measurer: Measurer) -> Goal:
    """Return the goal of the search; refuse one that cannot be measured there."""
    objectives = measurer.objectives
    goal = Goal.of(options.objective or objectives[0])
    if not set(goal.objectives) <= set(objectives):
        known = ", ".join(objectives)
        raise InputError(f"--objective {options.objective}: cannot be measured on {measurer.place}; give {known}")
    return goal


def _only(tasks: Sequence[Task], layers: Sequence[str]) -> list[Task]:
    for layer in layers:
        if not any(task.concerns(layer) for task in tasks):
            names = ", ".join(task.name for task in tasks)
            raise InputError(
                f"--only {layer}: no task is called so; give {NETWORK}, a node of the model or one of {names}"
            )
    return [task for task in tasks if not layers or any(task.concerns(layer) for layer in layers)]


def _tune_whole(compilation: Compilation, campaign: Campaign, layers: Sequence[str]) -> None:
    """Tune the decisions about a network, then its kernels, and measure the result as a whole."""
    options, left = campaign.options, campaign.time_left
    progress.step("finding decisions")
    network = network_task(compilation)
    search = NetworkSearch(network, campaign)
    campaign.summary.network = search.summary
    search.run(options.trials, None if left is None else NETWORK_SHARE * left)
    if options.only and not layers:
        return
    _tune_kernels(_only([each.task for each in search.kernels], layers), campaign)
    if network.state.facts[Settled].golden and not layers:
        _measure_whole(search, campaign)


def _tune_kernels(tasks: Sequence[Task], campaign: Campaign) -> None:
    """Measure what the compiler itself chooses, then search, the most expensive task first."""
    searches = [TaskSearch(task, campaign, number) for number, task in enumerate(tasks, 1)]
    campaign.summary.tasks += [each.summary for each in searches]
    for search in searches:
        search.measure_default()
    total = sum(each.whole for each in searches) or 1.0
    left = sorted(searches, key=lambda each: -each.whole)
    while left:
        search, rest = left[0], sum(each.whole for each in left) or 1.0
        seconds = None if campaign.time_left is None else campaign.time_left * search.whole / rest
        trials = campaign.options.trials
        search.run(trials if search.whole >= MINOR * total else max(1, trials // 4), seconds)
        left = left[1:]


def _measure_whole(search: NetworkSearch, campaign: Campaign) -> None:
    """Measure the network as a whole with the compiler's own choices, and in turn with them with the best ones."""
    network, summary = search.network, campaign.summary
    schedules: Decided = tuple(each for task in summary.tasks for each in task.decisions)
    decided = search.summary.decisions
    if not decided and not schedules:
        return
    default, best = (Candidate(network, table) for table in ({}, merged(table_of(decided), table_of(schedules))))
    (before,) = campaign.measurer.measure([default])
    if before.error is not ErrorKind.NO_ERROR:
        return
    (after,) = campaign.measurer.measure([best], Incumbent(default, before))
    costs = [campaign.record(network, made, found).cost for made, found in (((), before), (decided, after))]
    if costs[0] is not None and costs[1] is not None:
        summary.whole = costs[0], costs[1]
