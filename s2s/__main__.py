"""`python -m s2s` is the command `s2s`."""

from s2s.cli.main import main

if __name__ == "__main__":
    main()
