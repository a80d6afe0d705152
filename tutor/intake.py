"""What is refused before anything runs: texts that cannot be a Python file at all, each with one plain sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tutor.model import Load, Refusal

MINUTE_SECONDS = 60.0


@dataclass(frozen=True)
class Limits:
    """How much may be handed in.

    Args:
        source_bytes: size of one submission.
        learner_waiting: unfinished checks of one learner.
        waiting: unfinished checks of all learners.
        learner_seconds: checking time of one learner in the last minute.
    """

    source_bytes: int = 65_536
    learner_waiting: int = 4
    waiting: int = 500
    learner_seconds: float = 30.0


_UNREADABLE = re.compile("[\0\ud800-\udfff]")


def decode(data: bytes, limit: int) -> str | Refusal:
    """Turn the bytes of a file into source text with Unix line ends, or say why not.

    Args:
        data: the file as it is.
        limit: largest accepted size, bytes.
    """
    if len(data) > limit:
        return _too_large(len(data), limit)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = len(data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))
        return Refusal(
            code="not-utf8",
            message=f"The file is not UTF-8 text: the byte at position {error.start} (line {line}) belongs to no character.",
            next_step="Save the file as UTF-8 in your editor and hand it in again.",
            line=line,
        )
    return accept(text, limit)


def accept(text: str, limit: int) -> str | Refusal:
    """The same for text that is already decoded, as it comes from the editor."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        return _too_large(size, limit)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return Refusal(
            code="empty",
            message="There is no code in this submission.",
            next_step="Write what the exercise asks for, or start over from the starter.",
        )
    return _bad_character(text) or text


def without_unreadable(text: str) -> str:
    """A text with � for every character that no Python file and no database can have."""
    return _UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def crowded(load: Load, limits: Limits) -> Refusal | None:
    """Why nothing more is taken from a learner just now; None if there is room."""
    if load.mine >= limits.learner_waiting:
        return Refusal(
            code="too-many-waiting",
            message=f"{load.mine} of your checks are not finished; at most {limits.learner_waiting} may wait at a time.",
            next_step="Wait until one of them is done, then check again. Your text is kept.",
        )
    if load.seconds >= limits.learner_seconds:
        return Refusal(
            code="too-much-time",
            message=f"Your checks took {load.seconds:.0f} s of the last minute; at most {limits.learner_seconds:.0f} s "
            "are for one person, so that everybody gets a turn.",
            next_step="Wait a minute, then check again. A loop that never ends uses the time up quickest. Your text is kept.",
        )
    if load.all >= limits.waiting:
        return Refusal(
            code="queue-full",
            message=f"{load.all} checks of all learners are waiting; no more than {limits.waiting} are taken.",
            next_step="Try again in a minute. Your text is kept.",
        )
    return None


def _bad_character(text: str) -> Refusal | None:
    found = _UNREADABLE.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    what = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
    return Refusal(
        code="bad-character",
        message=f"Line {line} contains {what}, which Python cannot read.",
        next_step="Delete the invisible character on that line; retyping the line is the safest way.",
        line=line,
    )


def _too_large(size: int, limit: int) -> Refusal:
    return Refusal(
        code="too-large",
        message=f"This submission has {size:,} bytes; at most {limit:,} are taken.",
        next_step="Hand in the class alone, without data or long trial output.",
    )
