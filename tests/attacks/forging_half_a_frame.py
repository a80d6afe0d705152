"""Sends half a frame and leaves as if all were well."""

import os
import struct

import torch
from torch import nn


for fd in range(3, 1024):
    try:
        os.write(fd, struct.pack("<4sBxHIQ", b"TUT1", 5, 0, 4_000, 0) + b'{"case": "load"')
    except OSError:
        pass
os._exit(0)
