"""The command line: ``python -m tutor …``. Each command imports what it needs when it is called."""
