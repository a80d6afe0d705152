"""From the click on Check to the painted verdict, in a real browser, alone and beside a crowd of other learners.

``python -m bench.painting --clicks 40`` starts the whole app with an empty database, clicks, and prints the median and the 95th percentile.
``--crowd 39 --each 30`` adds so many learners over the network, who check every 30 seconds each.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import statistics
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.socket_learner import SocketLearner
from tests.browser.conftest import FLAGS, PROJECT, Server, chromium
from tests.browser.hands import SLUG, check, check_button, open_exercise, type_code

APP = PROJECT / "bench" / "many_learners.py"
CORPUS = PROJECT / "tests" / "submissions" / SLUG
WRONG = ("split_by_direct_view", "missing_scale", "undefined_name")
# Painted: what stands behind the verdict is that of another one, and two frames have been drawn since.
_CLICK = """button => new Promise(resolve => {
  const done = () => Number(document.querySelector("[data-done]")?.dataset.done ?? 0);
  const before = done(), start = performance.now();
  const frame = () => done() > before
    ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)))
    : requestAnimationFrame(frame);
  button.click();
  frame();
})"""


def texts() -> Iterator[str]:
    """Right and wrong answers by turns, no two the same."""
    files = [CORPUS / "right" / "lesson_program.py", *(CORPUS / "wrong" / f"{name}.py" for name in WRONG)]
    for number, text in enumerate(itertools.cycle(file.read_text() for file in files)):
        yield f"{text}\n# {number}\n"


@dataclass
class Crowd:
    """Learners who type and check, each on a page of its own, until they are stopped."""

    url: str
    count: int
    each: float
    waits: list[float] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    _stop: Callable[[], object] = field(init=False, repr=False)
    _ready: threading.Barrier = field(default_factory=lambda: threading.Barrier(2))

    @contextmanager
    def there(self) -> Iterator[None]:
        """They are all at their pages when this begins."""
        thread = threading.Thread(target=lambda: asyncio.run(self._all()))
        thread.start()
        self._ready.wait(180)
        try:
            yield
        finally:
            self._stop()
            thread.join()

    async def _all(self) -> None:
        learners = [await SocketLearner.open(self.url, SLUG, f"learner-{number}") for number in range(self.count)]
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(stop.set)
        await asyncio.to_thread(self._ready.wait)
        await asyncio.gather(*(self._practise(learner, number, stop) for number, learner in enumerate(learners)))

    async def _practise(self, learner: SocketLearner, number: int, stop: asyncio.Event) -> None:
        draw, mine = random.Random(number), itertools.islice(texts(), number, None)  # noqa: S311  moments, no secrets
        pause = draw.uniform(0, self.each)
        while not await _set_within(stop, pause):
            text = next(mine)
            try:
                await learner.write(text)
                await asyncio.sleep(0.5)
                self.waits.append(await learner.check(text))
            except (TimeoutError, OSError) as error:
                self.troubles.append(f"{learner.name}: {type(error).__name__} {error}")
            pause = draw.uniform(0.6, 1.4) * self.each
        await learner.close()


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True


def clicks(page: Page, count: int, pause: float) -> list[float]:
    """Milliseconds from click to paint."""
    found = []
    mine = texts()
    for _ in range(count):
        type_code(page, next(mine))
        page.wait_for_timeout(pause * 1_000)
        found.append(float(check_button(page).evaluate(_CLICK)))
    return found


def _figures(name: str, values: list[float]) -> dict[str, object]:
    cuts = statistics.quantiles(values, n=20)
    return {
        "what": name,
        "count": len(values),
        "median_ms": round(statistics.median(values)),
        "p95_ms": round(cuts[-1]),
    }


def main() -> None:
    """Start the app, measure, print one JSON line for the browser and one for the crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=40)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds from the last key to the click")
    parser.add_argument("--crowd", type=int, default=0, help="learners beside the one in the browser")
    parser.add_argument("--each", type=float, default=30.0, help="seconds between two checks of one of them")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(APP, {"TUTOR_HOME": folder}, Path(folder, "server.log"))
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            server.wait()
            page = browser.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
            open_exercise(page, server.url)
            type_code(page, next(texts()))
            check(page, 120)  # the checker has started, and every page was compiled once
            if not asked.crowd:
                print(json.dumps(_figures("click to paint", clicks(page, asked.clicks, asked.pause))))
                return
            crowd = Crowd(server.url, asked.crowd, asked.each)
            with crowd.there():
                found = clicks(page, asked.clicks, asked.pause)
            print(json.dumps(_figures(f"click to paint beside {asked.crowd} learners", found)))
            print(json.dumps(_figures("click to verdict, the crowd", [1_000 * wait for wait in crowd.waits])))
            print(len(crowd.troubles), "of them got none", *crowd.troubles, sep="\n")
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
