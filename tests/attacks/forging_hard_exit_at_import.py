"""Ends the process itself, with the code of success."""

import os

os._exit(0)
