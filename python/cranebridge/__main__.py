"""``python -m cranebridge``: the command line."""

from cranebridge.cli import main

if __name__ == "__main__":
    main()
