"""Projects of firmware: a network, the program that runs it behind a serial port, and the build files of a board."""

from s2s.projects.boards import PROJECT_BOARDS, ProjectBoard, project_board
from s2s.projects.project import check_project, write_project

__all__ = ["PROJECT_BOARDS", "ProjectBoard", "check_project", "project_board", "write_project"]
