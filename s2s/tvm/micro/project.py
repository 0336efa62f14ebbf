"""Projects of microTVM: a network for this machine or a board, which is built, flashed and run by a session.

template = tvm.micro.get_microtvm_template_projects("crt")
project = tvm.micro.generate_project(template, library, "kws", {"board": "qemu-m4"})
project.build()
project.flash()
with tvm.micro.Session(project.transport()) as session: ...

The template `crt` stands for this machine, or for the board of `s2s boards` that the option `board` names. A project
holds the tree of the network in `network/`, and for a board the project of `s2s new` in `firmware/`.
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from s2s.boards import PREFIX
from s2s.emit.read_tree import read_tree
from s2s.errors import InputError, UnsupportedError
from s2s.projects import ProjectBoard, project_board, write_project
from s2s.tvm.micro.transport import ProjectTransport
from s2s.tvm.relay.factory import ExecutorFactory
from s2s.verify.toolchain import find_program, run_program

TEMPLATES = ("crt", "zephyr", "arduino")
OF_PLACES = "s2s:"
"""The places of templates begin so."""
OPTIONS: Mapping[str, str] = {
    "board": "what the project is for, of `s2s boards`; this machine where it is left out",
    "port": "the serial port of a board that is not emulated",
    "verbose": "whether the output of programs that build and flash is shown",
}
_NETWORK, _FIRMWARE = "network", "firmware"
ANY = "c"
"""The target whose C every board takes."""


def get_microtvm_template_projects(platform: str) -> str:
    """Return the place that stands for a platform: `crt` is this machine or a board, others are packagings."""
    if platform not in TEMPLATES:
        raise InputError(f"get_microtvm_template_projects: {platform} is not known; give {', '.join(TEMPLATES)}")
    return f"{OF_PLACES}{platform}"


class GeneratedProject:
    """A project that has been written."""

    @classmethod
    def from_directory(cls, project_dir: str | Path, options: Mapping[str, Any] | None) -> "GeneratedProject":
        """The project in a folder, with the options that it was written with."""
        return cls(Path(project_dir), options)

    def __init__(self, folder: Path, options: Mapping[str, Any] | None) -> None:
        self.folder, self.options = folder, checked(options)
        self._tree, self._board = read_tree(folder / _NETWORK), board_of(self.options)
        if (self._board is not None) != (folder / _FIRMWARE).is_dir():
            raise InputError(f"GeneratedProject: {folder}: is for another board; give the options it was made with")

    def info(self) -> dict[str, Any]:
        """What TVM's servers tell of a project."""
        described = [{"name": name, "help": text} for name, text in OPTIONS.items()]
        platform = "host" if self._board is None else self._board.name
        return {"is_template": False, "platform_name": platform, "project_options": described}

    def build(self) -> None:
        """Build the program of a board; this machine's is built when a session begins."""
        if self._board is not None:
            self._run(["make"] if self._board.emulated is not None else ["pio", "run"])

    def flash(self) -> None:
        """Write the program to a board that is not emulated."""
        if self._board is not None and self._board.emulated is None:
            port = self.options.get("port")
            self._run(["pio", "run", "-t", "upload", *(["--upload-port", port] if port else [])])

    def transport(self) -> ProjectTransport:
        """What `micro.Session` takes."""
        return ProjectTransport(self._tree, self._board, self.folder / _FIRMWARE, self.options.get("port"))

    def _run(self, command: list[str]) -> None:
        output = run_program([find_program(command[0]), *command[1:]], cwd=self.folder / _FIRMWARE)
        if self.options.get("verbose"):
            sys.stdout.write(output)


class TemplateProject:
    """What projects are made of."""

    @classmethod
    def from_directory(cls, template_project_dir: str | Path) -> "TemplateProject":
        """The template at a place that `get_microtvm_template_projects` gives; servers in folders are not run."""
        place = str(template_project_dir)
        platform = place.removeprefix(OF_PLACES)
        if not place.startswith(OF_PLACES) or platform not in TEMPLATES:
            raise UnsupportedError(
                f"micro.TemplateProject {place}: project servers are not run; give "
                "get_microtvm_template_projects('crt')"
            )
        if platform != "crt":
            raise UnsupportedError(
                f"micro.TemplateProject: {platform}: is a packaging; write it by `s2s export --format {platform}`, or "
                "give the template crt with the option board, of `s2s boards`"
            )
        return cls()

    def info(self) -> dict[str, Any]:
        """What TVM's servers tell of a template."""
        described = [{"name": name, "help": text} for name, text in OPTIONS.items()]
        return {"is_template": True, "platform_name": "crt", "project_options": described}

    def generate_project(
        self, graph_executor_factory: object, project_dir: str | Path, options: Mapping[str, Any] | None
    ) -> GeneratedProject:
        """Write the project of a network that `relay.build` has made."""
        library, folder, chosen = graph_executor_factory, Path(project_dir), checked(options)
        if not isinstance(library, ExecutorFactory):
            raise UnsupportedError("micro.generate_project: takes networks; give what relay.build returns")
        if folder.exists() and any(folder.iterdir()):
            raise InputError(f"micro.generate_project: {folder}: is there already; name a new folder")
        board = board_of(chosen)
        if board is not None:
            check_network(library, board)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".s2s-", dir=folder.parent) as staged:
            staging = Path(staged) / folder.name
            library.write(staging / _NETWORK)
            if board is not None:
                write_project(library.artifact.measured_tree(), board, staging / _FIRMWARE)
            staging.replace(folder)
        return GeneratedProject.from_directory(folder, chosen)

    def generate_project_from_mlf(
        self, model_library_format_path: str | Path, project_dir: str | Path, options: Mapping[str, Any] | None
    ) -> NoReturn:
        """Refused: an archive does not say how its C was tuned and tested."""
        raise UnsupportedError(
            f"micro.generate_project_from_mlf: {model_library_format_path}: archives are for other tools; give "
            "generate_project what relay.build returns"
        )


def checked(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options of a project, which are known."""
    unknown = [name for name in options or {} if name not in OPTIONS]
    if unknown:
        raise InputError(f"micro: option {unknown[0]}: is not known; the options are {', '.join(OPTIONS)}")
    return dict(options or {})


def board_of(options: Mapping[str, Any]) -> ProjectBoard | None:
    """The board that options name, as `s2s boards` or as `--on` does; None for this machine."""
    name = options.get("board")
    return None if name is None else project_board(f"qemu-{name[len(PREFIX) :]}" if name.startswith(PREFIX) else name)


def check_network(library: ExecutorFactory, board: ProjectBoard) -> None:
    """Refuse a network that was built for another processor or executor."""
    if library.executor != "aot":
        raise InputError("micro.generate_project: boards run executor aot; build with Executor('aot')")
    target = library.target.name
    if target not in (ANY, board.target):
        raise InputError(
            f"micro.generate_project: {board.name}: the network is for {target}; build it for {board.target}"
        )


def generate_project(
    template_project_dir: str | Path,
    module: object,
    generated_project_dir: str | Path,
    options: Mapping[str, Any] | None = None,
) -> GeneratedProject:
    """Write the project of a network for this machine, or for the board of the option `board`."""
    return TemplateProject.from_directory(template_project_dir).generate_project(module, generated_project_dir, options)


def generate_project_from_mlf(
    template_project_dir: str | Path, project_dir: str | Path, mlf_path: str | Path, options: Mapping[str, Any]
) -> NoReturn:
    """Refused, as the method of `TemplateProject` says."""
    TemplateProject.from_directory(template_project_dir).generate_project_from_mlf(mlf_path, project_dir, options)


__all__ = [
    "GeneratedProject",
    "ProjectTransport",
    "TemplateProject",
    "generate_project",
    "generate_project_from_mlf",
    "get_microtvm_template_projects",
]
