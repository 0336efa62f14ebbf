"""Where candidates of a tuner run, in the words of microTVM."""

from pathlib import Path
from typing import Any

from s2s.boards import BOARDS, PREFIX
from s2s.errors import InputError
from s2s.support.frozen import frozen


@frozen
class AutoTvmModuleLoader:
    """Where candidates of a tuner run: on the board that the options name, else where their target does."""

    template_project_dir: str | Path
    project_options: dict[str, Any]

    @property
    def place(self) -> str | None:
        """The board as `--board` takes it; None for the one of the target."""
        board = self.project_options.get("board")
        if board is None:
            return None
        names = [f"{PREFIX}{each.name}" for each in BOARDS]
        place = board if str(board).startswith(PREFIX) else f"{PREFIX}{board}"
        if place not in names:
            raise InputError(f"AutoTvmModuleLoader: board {board!r} is not known; give one of {', '.join(names)}")
        return place
