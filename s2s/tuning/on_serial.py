"""Measuring on a board at a serial port, by the board's clock.

A candidate becomes a firmware project (`s2s new`), with the hash of its C as the key that the board tells: so a program
that was not loaded is noticed. The project is built, a command loads it, and the host sends inputs and takes outputs.

    compile -> project -> make, or pio run -> load -> hello, write inputs, run, read outputs, run, run, ...
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from s2s.compilation import Compilation
from s2s.emit.files import Tree
from s2s.errors import InputError, ToolchainError
from s2s.projects import ProjectBoard, check_project, write_project
from s2s.stages.memory import Planned
from s2s.support.frozen import frozen
from s2s.tuning.code import code_of
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits, Measurer, Phases, guarded
from s2s.tuning.reference import difference, reference_of
from s2s.types.dtypes import Array
from s2s.verify.over_serial import PREFIX, parse_port, run_vector
from s2s.verify.serial_link import SerialLink
from s2s.verify.toolchain import compiler_version, missing_programs, run_program

RUNS = 5
"""Runs of a candidate, of which the shortest counts."""
START_SECONDS = 15.0
"""A board may take this long to start, and its port to appear again."""
PAUSE_SECONDS = 0.2
UPLOAD = 'pio run -t upload --upload-port "$S2S_PORT"'
BUILT = ".pio"
"""The folder in which PlatformIO keeps its objects; the next candidate builds the files that differ."""


@frozen
class SerialBoard:
    """A board at a serial port."""

    on: str
    """`serial:/dev/ttyACM0`, with a baud rate behind `@` where it is another one."""
    board: ProjectBoard
    load: str
    """A command of a shell that loads the program in the folder of a project; `S2S_PORT` tells it the port."""

    @staticmethod
    def of(on: str, board: ProjectBoard, load: str) -> "SerialBoard":
        """Return the board at the port `on`; without a command, PlatformIO loads programs."""
        parse_port(on)
        if board.emulated is not None and not load:
            raise InputError(
                f"--board {board.name}: is emulated; give --load COMMAND, which starts firmware.elf at the port"
            )
        return SerialBoard(on, board, load or UPLOAD)

    @property
    def port(self) -> str:
        """The device of the port."""
        return parse_port(self.on)[0]

    @property
    def place(self) -> str:
        """What records call it: boards of a kind take equal times, at whatever port."""
        return f"{PREFIX}{self.board.name}"


class SerialMeasurer(Measurer):
    """Builds candidates for a board at a serial port and times them there, one after the other."""

    def __init__(self, at: SerialBoard, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.at, self.place = at, at.place
        self._folder = tempfile.TemporaryDirectory(prefix="s2s-serial-")

    @property
    def compiler(self) -> str:
        board = self.at.board
        if board.emulated is None:
            return f"PlatformIO {board.platform}"
        return compiler_version((board.emulated.processor().cc,))

    def require(self) -> None:
        """Raise an error if the port cannot be opened, or if what builds programs is not installed.

        An address of pyserial, as `socket://host:port`, may be there only once a program is loaded.
        """
        emulated = self.at.board.emulated
        missing = missing_programs(("pio",) if emulated is None else ("make", emulated.processor().cc))
        if missing:
            install = "pip install platformio" if emulated is None else "s2s doctor tells how"
            raise ToolchainError(f"--on {self.at.on}: {' and '.join(missing)} not installed; {install}")
        if "://" not in self.at.port:
            with alone_on_board(self.at.port):
                SerialLink(*parse_port(self.at.on)).close()

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        return [self._one(each, self.limits.seconds_beside(incumbent)) for each in candidates]

    def measure_each(self, candidates: Sequence[Candidate]) -> list[Measurement]:
        return self.measure(candidates)

    def _one(self, candidate: Candidate, seconds: float) -> Measurement:
        root = Path(self._folder.name)
        with alone_on_board(self.at.port):
            return guarded(root, lambda phases: self._run(candidate, root, phases), seconds, self.limits.memory)

    def _run(self, candidate: Candidate, folder: Path, phases: Phases) -> Measurement:
        phases.enter(ErrorKind.INSTANTIATION_ERROR)
        compilation, project = candidate.compilation, folder / "project"
        check_project(compilation.options)
        shutil.rmtree(folder / "tree", ignore_errors=True)
        tree = compilation.tree.write(folder / "tree")
        code = code_of(tree.folder)
        _renew(project, tree, self.at.board, bytes.fromhex(code))
        phases.enter(ErrorKind.COMPILE_DEVICE)
        run_program(["make", "-s"] if self.at.board.emulated is not None else ["pio", "run", "-s"], cwd=project)
        phases.enter(ErrorKind.RUNTIME_DEVICE)
        _load(self.at, project)
        outputs, seconds = _timed(self.at, compilation, bytes.fromhex(code))
        differs = difference(compilation, outputs)
        if differs is not None:
            return Measurement(error=ErrorKind.WRONG_ANSWER, message=differs, code=code)
        costs = {
            "seconds": min(seconds),
            "bytes of ram": compilation.facts(Planned).arena + compilation.info.ports_size,
        }
        return Measurement(costs, noise=median(seconds) / min(seconds) - 1, code=code)


@contextmanager
def alone_on_board(port: str) -> Generator[None]:
    """Wait until no other tuner of this machine uses the board at a port."""
    name = port.strip("/").replace("/", "-")
    with (Path(tempfile.gettempdir()) / f"s2s-board-{name}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _renew(project: Path, tree: Tree, board: ProjectBoard, key: bytes) -> None:
    """Write the project of a candidate in the place of the one before; what PlatformIO has built stays."""
    new = project.with_name("new")
    shutil.rmtree(new, ignore_errors=True)
    write_project(tree, board, new, key=key)
    if (project / BUILT).exists():
        (project / BUILT).rename(new / BUILT)
    shutil.rmtree(project, ignore_errors=True)
    new.rename(project)


def _load(at: SerialBoard, project: Path) -> None:
    """Run the command that loads a program."""
    environment = {**os.environ, "S2S_PORT": at.port}
    done = subprocess.run(
        at.load,
        shell=True,
        cwd=project,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise ToolchainError(f"--load {at.load}: ended with exit code {done.returncode}; {said}")


def _timed(at: SerialBoard, compilation: Compilation, key: bytes) -> tuple[list[Array], list[float]]:
    """Run the program that was loaded: the outputs of its first run, and the seconds of each."""
    with closing(_connected(at, key)) as link:
        hertz = link.hello().ticks_per_second
        if not hertz:
            raise ToolchainError(f"{at.on}: the board has no clock, and its runs cannot be timed; measure on another")
        outputs, ticks = run_vector(link, compilation.info, reference_of(compilation).inputs)
        every = [ticks, *(link.run()[1] for _ in range(RUNS - 1))]
    return outputs, [max(each, 1) / hertz for each in every]


def _connected(at: SerialBoard, key: bytes) -> SerialLink:
    """Return the line to a board that starts now, as soon as it tells the key of its new program."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        link = None
        try:
            link = SerialLink(*parse_port(at.on))
            if link.hello().key == key:
                return link
            failure: Exception = ToolchainError(f"{at.on}: the board still runs another program; what does --load do?")
        except (InputError, ToolchainError) as error:
            failure = error
        if link is not None:
            link.close()
        if time.monotonic() > deadline:
            raise failure
        time.sleep(PAUSE_SECONDS)
