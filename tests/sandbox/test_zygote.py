"""The trusted end of a zygote: when it counts as alive."""

from __future__ import annotations

import os
import signal

import pytest

from tests.sandbox.conftest import configuration
from tests.waiting import eventually
from tutor.sandbox.forked import readable
from tutor.sandbox.zygote import Zygote

pytestmark = pytest.mark.sandbox


def test_an_answer_on_its_way_is_no_death(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread is about to read an answer, another one that was given a worker asks whether its zygote lives."""
    zygote, seen = Zygote(configuration()), []
    try:
        zygote.wait_until_ready()
        receive = zygote._receive

        def late(seconds: float):
            assert readable(zygote._control.fileno(), seconds)
            seen.append(zygote.alive)
            return receive(seconds)

        monkeypatch.setattr(zygote, "_receive", late)
        zygote.fork().close()
        assert seen == [True]
        os.kill(zygote.pid, signal.SIGKILL)
        assert eventually(lambda: not zygote.alive)
    finally:
        zygote.close()
