"""``python -m tutor``: check, lint, doctor, bench, worker."""

from __future__ import annotations

from tutor.cli.commands import main

if __name__ == "__main__":
    main()
