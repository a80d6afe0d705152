"""Closes the way for results and keeps running."""

import os
import time

import torch
from torch import nn


os.closerange(3, 1024)
time.sleep(60)
