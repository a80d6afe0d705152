"""The page on the walls, run without a browser, and the banner where there are none."""

from __future__ import annotations

import html

from streamlit.testing.v1 import AppTest

from tests.ui.fakes import NASTY, READY
from tutor.dispatch.protocol import CheckerState
from tutor.settings import Settings, limits
from tutor.ui.walls_page import capitalised
from tutor.walls import MEANINGS, Proof, Wall

LACKING = Proof(
    walls=(
        Wall(id="seccomp", on=True, detail="62 calls"),
        Wall(id="landlock", on=False, detail=f"this kernel has no Landlock {NASTY}"),
        Wall(id="own uid", on=False),
    )
)


def _page(state, shown) -> None:
    from tutor.ui.walls_page import render  # noqa: PLC0415  the function's text alone is run

    render(state, shown)


def said(state: CheckerState) -> str:
    app = AppTest.from_function(_page, args=(state, limits(Settings())), default_timeout=20)
    app.run()
    assert not app.exception
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.error, app.warning, app.info)
    return html.unescape("\n".join(str(element.value) for kind in kinds for element in kind))


def test_every_wall_is_shown_with_its_state_and_its_reason() -> None:
    """What is on says what it means; what is missing says why; nothing that the checker says acts."""
    text = said(CheckerState(ready=True, device="cpu", proof=LACKING))
    assert "**seccomp** :green-badge[:material/verified_user: on]" in text
    assert f"{capitalised(MEANINGS['seccomp'])} (62 calls)." in text
    assert "**landlock** :orange-badge[:material/remove_moderator: missing]" in text
    assert "It is missing: this kernel has no Landlock <img src=x" in text
    assert "It is missing: the checker did not say why." in text
    assert (
        "1 of 3 walls are on; they were attacked all together when the checker started. Code runs on the CPU." in text
    )


def test_every_limit_is_shown_with_its_unit_and_its_variable() -> None:
    """As they are set on this machine."""
    text = said(READY)
    assert "**3 s** of time for one case :gray[:small[TUTOR\\_CASE\\_SECONDS]]" in text
    assert "**65,536 bytes** a submission may have" in text
    assert "**1 check** of one learner run at once" in text
    assert text.count("TUTOR\\_") == len(limits(Settings()))


def test_before_the_checker_has_started_and_when_it_refuses() -> None:
    """The page says that it does not know yet, or why nothing is run and which wall it was."""
    assert "The checker has not said yet which walls it has." in said(CheckerState(ready=False))
    refused = said(CheckerState(ready=False, problem="The sandbox does not hold.", proof=LACKING))
    assert "Nothing can be checked at the moment, which is our fault. The sandbox does not hold." in refused
    assert "remove_moderator: missing" in refused
    holes = Proof(walls=LACKING.walls, holes=("open a file (succeeded)",))
    with_holes = said(CheckerState(ready=False, problem="The sandbox does not hold.", proof=holes))
    assert "could do here and should not: open a file (succeeded)." in with_holes
    assert "This server runs code" not in with_holes


def test_without_walls_it_is_said_aloud() -> None:
    """A server that runs code although its walls have holes says so before anything else."""
    text = said(
        CheckerState(ready=True, device="cpu", proof=Proof(walls=LACKING.walls, holes=("open a file (succeeded)",)))
    )
    assert "**This server runs code without walls that hold.**" in text
    assert "What a submission could do here and should not: open a file (succeeded)." in text
    assert "Promised" not in text
    assert "nothing is run" not in text


def test_what_is_promised_depends_on_the_walls_that_hold() -> None:
    """With a device less is promised than on the CPU; before there is a proof, and after one that failed, nothing is."""
    assert "Promised behind these walls" in said(READY)
    on_device = said(READY.model_copy(update={"device": "cuda"}))
    assert "less is promised here than on the CPU" in on_device
    assert "Promised behind" not in on_device
    assert "romised" not in said(CheckerState(ready=False))
    idle = said(CheckerState(ready=False, problem="No.", proof=Proof(walls=LACKING.walls, idle=("landlock",))))
    assert "romised" not in idle
