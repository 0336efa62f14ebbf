"""Jinja skeletons of the emitted files. Installed as `s2s.templates`."""
