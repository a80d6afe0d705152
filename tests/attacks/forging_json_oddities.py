"""A header with NaN, a number of ten thousand digits, repeated keys and a half surrogate."""

import os
import struct

import torch
from torch import nn


header = b'{"case": "load", "case": "load", "stage": "load", "ending": "returned", "seconds": NaN, "x": ' + b"9" * 10_000
header += b', "y": "\\ud800", "__proto__": {}, "z": 1e999}'
frame = struct.pack("<4sBxHIQ", b"TUT1", 5, 0, len(header), 0) + header
for fd in range(3, 1024):
    try:
        os.write(fd, frame)
    except OSError:
        pass
print("PASSED")
os._exit(0)
