"""Repositories of git for tests."""

import subprocess
from pathlib import Path

AUTHOR = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *arguments: str) -> str:
    """Return what a command of git prints in a folder."""
    done = subprocess.run(["git", *AUTHOR, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def commit(folder: Path, message: str) -> None:
    """Commit everything in a folder, which becomes a repository if it is none."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", f"--message={message}")
