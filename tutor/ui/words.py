"""How states are said on the page: always an icon and a word, colour only on top."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tutor.dispatch.protocol import CheckerState
from tutor.hints import Rung
from tutor.model import Mark, Refusal, Status
from tutor.progress import Reached
from tutor.quiz import Asked, Predict
from tutor.ui.text import escape_markdown

OUR_FAULT = "This is our fault, not yours. What you wrote is kept. Please reload the page; if it happens again, tell your tutor."

BROKEN = (
    "This is our fault and does not count; your code is kept, and what you reached before stays. Press Check to try again; "
    "if it happens again, tell your tutor."
)
NOT_RUN = "This could not be run just now, which is our fault. Your code is kept; please try again in a minute."
UNREAD = (
    "The result of your last check cannot be shown just now, which is our fault: what you wrote is kept, "
    "and you can go on and press Check again."
)

NO_HINT = "The next hint cannot be shown just now, which is our fault. What you wrote is kept; please press the button again in a minute."
ALL_HINTS = "These were all the hints. Change your code and press Check to see whether it holds now."
# Said once, where the exercise is passed: an offer, not a debt.
ONCE_MORE = "You took hints on the way; try it once more from the starter whenever you like."
_ORDINALS = ("first", "second", "third", "fourth", "fifth")

KINDS_OF_QUESTION: Mapping[str, str] = MappingProxyType(
    {
        "number": "Work out a number", "shape": "Work out a shape", "truth": "True or false", "predict": "Predict first",
        "choice": "Rule out all but one", "claim": "Find the step that goes wrong", "order": "Put in order",
        "buckets": "Sort", "table": "Fill in a column", "open": "In your own words",
    }
)  # fmt: skip
NOT_KEPT = "This is our fault: your answer could not be kept just now. It still stands in the field; please try again in a minute."


@dataclass(frozen=True, slots=True)
class Look:
    """One state as it is shown: a Material icon, a word, a colour name of Streamlit's Markdown."""

    icon: str
    word: str
    colour: str

    @property
    def badge(self) -> str:
        return f":{self.colour}-badge[:material/{self.icon}: {self.word}]"


def look(status: Status | None, *, hinted: bool = False) -> Look:
    """The look of a status; None is a milestone nobody has tried. ``hinted`` tells a pass with hints from one without."""
    match status:
        case Status.PASSED:
            return Look("check_circle", "passed, with hints" if hinted else "passed", "green")
        case Status.FAILED:
            return Look("cancel", "failed", "red")
        case Status.BROKEN:
            return Look("build_circle", "broken", "orange")
        case _:
            return Look("radio_button_unchecked", "not run yet", "gray")


def passed_before(best: Reached) -> str:
    """What stands at a milestone that was passed once and is not now."""
    return (
        f":green-badge[:material/verified: passed in an earlier attempt{', with hints' * best.hinted}] It still counts."
    )


def path_words(passed: int, total: int, hinted: int) -> str:
    """How far the learner has come on the path: milestones passed, of how many, and how many of them with hints."""
    alone = f", {passed - hinted} of them without hints" if hinted < passed else ", with hints"
    return f"{passed} of {total} milestones passed{alone if hinted else ''}"


def mark_badge(mark: Mark | None, question: Asked) -> str:
    """How good an answer is, as a badge; None is an answer that could not be taken."""
    match mark:
        case None:
            return ":gray-badge[:material/help: not taken yet]"
        case Mark.UNMARKED:
            return ":gray-badge[:material/edit_note: not marked yet]"
        case Mark.RIGHT:
            return ":green-badge[:material/check_circle: right]"
        case Mark.PARTLY:
            return ":orange-badge[:material/incomplete_circle: partly]"
        case _:
            word = "predicted otherwise" if isinstance(question, Predict) else "not yet"
            return f":orange-badge[:material/replay: {word}]"


def line_chip(line: int | None) -> str:
    """A line of the learner's, as Markdown behind a title: a link that the editor's script follows; empty where there is none."""
    return f" :gray-badge[[line {line}](#line-{line})]" if line else ""


def hint_request(rung: Rung) -> str:
    """What the button says that shows this hint next."""
    whose = f" on the {_cause(rung)}" if rung.traps > 1 else ""
    return f"Show a hint{whose} ({rung.number} of {rung.of})"


def hint_caption(rung: Rung) -> str:
    """What stands above a hint that is shown."""
    whose = f", {_cause(rung)}" if rung.traps > 1 else ""
    return f"Hint {rung.number} of {rung.of}{whose}"


def _cause(rung: Rung) -> str:
    return f"{_ORDINALS[rung.trap - 1]} cause" if rung.trap <= len(_ORDINALS) else f"cause no. {rung.trap}"


def ago(then: datetime, now: datetime | None = None) -> str:
    """How long ago ``then`` (aware UTC) was, in words."""
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    if seconds < 60:
        return "just now"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    raise AssertionError(seconds)


def moment(then: datetime, zone: str | None) -> str:
    """A time (aware) to the minute, in the time zone that the browser names, else in UTC."""
    try:
        where = ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError):
        where = None
    return f"{then.astimezone(where or UTC):%d %B %Y, %H:%M}{'' if where else ' UTC'}"


def checker_words(state: CheckerState) -> str:
    """One Markdown line: where code runs and what it cannot do there; only what the reported walls bear out."""
    device = "the CPU" if state.device == "cpu" else escape_markdown(state.device or "this machine")
    if not state.proof.holds:
        return f"Code runs on {device}, behind walls that do not hold."
    where = f"Your code runs apart from everything else, on {device}"
    closed = bool(state.proof.walls) and state.proof.holds
    return f"{where}: it cannot read files, use the network or start programs." if closed else f"{where}."


def wall_words(state: CheckerState) -> str:
    """The walls around the code as one Markdown line; empty where none is reported."""
    walls = ", ".join(escape_markdown(wall.id) for wall in state.proof.walls if wall.on)
    return f"The walls around it: {walls}." if walls else ""


def not_stored(message: str) -> Refusal:
    """Why a text was not taken when the store refused it."""
    return Refusal(
        code="our-fault",
        message=f"This is our fault: {message[0].lower()}{message[1:]}",
        next_step="The text is still in the editor. Please try again in a minute.",
    )
