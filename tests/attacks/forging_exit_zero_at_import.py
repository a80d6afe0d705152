"""Leaves with the exit code of success before anything is checked."""

import sys

sys.exit(0)
