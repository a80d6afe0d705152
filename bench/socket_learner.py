"""A learner without a browser: speaks with the page as a browser does, over Streamlit's websocket, and keeps its clocks."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

_DONE = re.compile(r'data-done="(\d+)"')
_EDITOR, _MENDER = "streamlit_ace", "tutor_mend"


@dataclass
class SocketLearner:
    """One page of one learner: ``learner = await SocketLearner.open(url, slug, name)``.

    ``done`` is the number of the last outcome that the page showed.
    """

    name: str
    done: int = 0
    _socket: ClientConnection = field(repr=False, kw_only=True)
    _editor: str = ""
    _mender: str = ""
    _workbench: str = ""
    _page: str = ""
    _text: str = ""
    _clocks: dict[str, asyncio.Task[None]] = field(default_factory=dict, repr=False)
    _reader: asyncio.Task[None] = field(init=False, repr=False)
    _news: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @classmethod
    async def open(cls, url: str, slug: str, name: str, patience: float = 60.0) -> Self:
        """Load a page and wait for its editor.

        Args:
            url: of the server, ``http://…``.
            slug: the exercise.
            name: the learner's, sent as the cookie ``learner``.
            patience: seconds.

        Raises:
            TimeoutError: the page did not come.
            OSError: there is no server.
        """
        socket = await connect(
            f"{url.replace('http', 'ws', 1)}/_stcore/stream",
            origin=Origin(url),
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Cookie": f"learner={name}"},
            max_size=None,
        )
        learner = cls(name, _socket=socket)
        learner._reader = asyncio.create_task(learner._read())
        message = BackMsg()
        message.rerun_script.page_name = slug
        await socket.send(message.SerializeToString())
        await learner._until(lambda: bool(learner._mender and learner._editor), patience)
        return learner

    async def write(self, text: str) -> None:
        """Type: the editor reports the text, and the page keeps it as the draft."""
        self._text = text
        await self._rerun(self._workbench)

    async def check(self, text: str, patience: float = 60.0) -> float:
        """Press Check; gives the seconds until the verdict has arrived.

        Raises:
            TimeoutError: none came.
        """
        self._text, before, start = text, self.done, time.perf_counter()
        trigger = WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{self._mender}__events")
        trigger.json_trigger_value = json.dumps([{"event": "check", "value": {"text": text, "n": time.time_ns()}}])
        await self._rerun(self._workbench, trigger)
        await self._until(lambda: self.done > before, patience)
        return time.perf_counter() - start

    async def close(self) -> None:
        """Close the tab."""
        tasks = [*self._clocks.values(), self._reader]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._socket.close()

    async def _until(self, holds: Callable[[], bool], patience: float) -> None:
        async with asyncio.timeout(patience):
            while not holds():
                self._news.clear()
                await self._news.wait()

    async def _rerun(self, fragment: str, *triggers: WidgetState, auto: bool = False) -> None:
        message = BackMsg()
        ask = message.rerun_script
        ask.page_script_hash, ask.fragment_id, ask.is_auto_rerun = self._page, fragment, auto
        if self._text:
            ask.widget_states.widgets.append(WidgetState(id=self._editor, json_value=json.dumps(self._text)))
        ask.widget_states.widgets.extend(triggers)
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> None:
        async for data in self._socket:
            message = ForwardMsg()
            message.ParseFromString(data)
            self._hear(message)
            self._news.set()

    def _hear(self, message: ForwardMsg) -> None:
        match message.WhichOneof("type"):
            case "new_session":
                self._page = message.new_session.page_script_hash
            case "auto_rerun":
                self._clock(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            case "stop_auto_rerun":
                for fragment in message.stop_auto_rerun.fragment_ids:
                    self._stop(fragment)
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                self._element(message)

    def _element(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "html":
            if found := _DONE.search(element.html.body):
                self.done = int(found[1])
        elif kind == "component_instance" and _EDITOR in element.component_instance.component_name:
            self._editor = element.component_instance.id
        elif kind == "bidi_component" and _MENDER in element.bidi_component.component_name:
            self._mender, self._workbench = element.bidi_component.id, message.delta.fragment_id

    def _clock(self, fragment: str, interval: float) -> None:
        self._stop(fragment)
        self._clocks[fragment] = asyncio.create_task(self._tick(fragment, interval))

    def _stop(self, fragment: str) -> None:
        if clock := self._clocks.pop(fragment, None):
            clock.cancel()

    async def _tick(self, fragment: str, interval: float) -> None:
        with suppress(OSError):
            while True:
                await asyncio.sleep(interval)
                await self._rerun(fragment, auto=True)
