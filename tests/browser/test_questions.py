"""Learning questions in a real browser: one of each kind, answered wrong and then right, with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Server
from tests.browser.hands import editor_text, open_exercise, ready, type_code

PATIENCE = 20_000


def _questions(page: Page) -> Locator:
    return page.locator(".st-key-questions")


def _reply(page: Page) -> Locator:
    return _questions(page).locator(".st-key-reply")


def _open(page: Page, url: str, number: int) -> None:
    """Go to a question by keyboard: the tab, then the number."""
    open_exercise(page, url)
    page.get_by_role("tab", name="The task").focus()
    page.keyboard.press("ArrowRight")
    expect(_questions(page)).to_be_visible()
    _turn_to(page, number)


def _turn_to(page: Page, number: int) -> None:
    pill = _pill(page, number)
    pill.focus()
    page.keyboard.press("Enter")
    expect(pill).to_be_checked(timeout=PATIENCE)
    page.wait_for_timeout(300)  # a run that follows the choice draws the question anew


def _pill(page: Page, number: int) -> Locator:
    return _questions(page).get_by_role("radiogroup", name="Question").get_by_role("radio").nth(number - 1)


def _field(page: Page, name: str) -> Locator:
    return _questions(page).get_by_label(name, exact=True)


def _write(page: Page, field: Locator, text: str, then: str = "Tab") -> None:
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.keyboard.press(then)


def _choose(page: Page, group: str, name: str) -> None:
    """Choose in a group of radio buttons: focus comes by Tab, the choice by arrow keys and Space."""
    wanted = _questions(page).get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True)
    wanted.focus()
    page.keyboard.press("Space")
    expect(wanted).to_be_checked(timeout=PATIENCE)


def _press(page: Page, name: str) -> None:
    button = _questions(page).get_by_role("button", name=name, exact=True)
    button.focus()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")


def _says(page: Page, word: str, text: str) -> None:
    expect(_reply(page)).to_contain_text(word, timeout=PATIENCE)
    expect(_reply(page)).to_contain_text(text, timeout=PATIENCE)


def _done(page: Page, count: int) -> None:
    expect(_questions(page)).to_contain_text(f"{count} of 10 questions done", timeout=PATIENCE)


def _predict(page: Page) -> None:
    """What cannot be read is said; a wrong prediction stands beside the truth and is done; another one may follow."""
    expect(_questions(page)).to_contain_text("Predict first, for milestone 1: “The four matrices”")
    _write(page, _field(page, "Your prediction"), "many", "Enter")
    _says(page, "not taken yet", "cannot be read as a number")
    _done(page, 0)
    _write(page, _field(page, "Your prediction"), "4*4*32^2", "Enter")
    _says(page, "predicted otherwise", "That counts a full matrix for every head.")
    for place, text in enumerate(("4*4*32^2", "4,096")):
        expect(_reply(page).locator("pre").nth(place)).to_have_text(text, timeout=PATIENCE)
    _done(page, 1)
    _write(page, _field(page, "Your prediction"), "4·32²", "Enter")
    _says(page, "right", "As you predicted.")


def _type_answer(page: Page, wrong: tuple[str, str], right: tuple[str, str]) -> None:
    """Enter in the field answers; a wrong one is explained, a right one in another spelling is taken."""
    for word, (text, said) in (("not yet", wrong), ("right", right)):
        _write(page, _field(page, "Your answer"), text, "Enter")
        _says(page, word, said)


def _choose_answer(page: Page, group: str, wrong: tuple[str, str], right: tuple[str, str]) -> None:
    """What rules the wrong one out is said, and with the right one why it is right."""
    for word, (name, said) in (("not yet", wrong), ("right", right)):
        _choose(page, group, name)
        _press(page, "Check answer")
        _says(page, word, said)


def _put_in_order(page: Page) -> None:
    """Each step takes the number of its place; what is taken twice or wrong is said."""
    steps = ("project", "split into heads", "attend in every head", "join the heads")
    for step, place in zip(steps, "1324", strict=True):
        _write(page, _field(page, step), place)
    _press(page, "Check answer")
    _says(page, "not yet", "Place 1 is right. On place 2 you have “attend in every head”")
    _write(page, _field(page, "split into heads"), "3")
    _write(page, _field(page, "attend in every head"), "3")
    _press(page, "Check answer")
    _says(page, "not taken yet", "Place 3 is taken 2 times.")
    _write(page, _field(page, "split into heads"), "2")
    _press(page, "Check answer")
    _says(page, "right", "Yes, in this order.")


def _sort_into_buckets(page: Page) -> None:
    """Each line is a group of its own; what stands wrong is named with its reason."""
    _choose(page, "Every head sees all tokens.", "holds")
    _choose(page, "Heads are computed one after the other.", "holds")
    _press(page, "Check answer")
    _says(page, "not yet", "1 of 2 are where they belong.")
    _choose(page, "Heads are computed one after the other.", "trap")
    _press(page, "Check answer")
    _says(page, "right", "Yes, all 2.")


def _fill_a_column(page: Page) -> None:
    """Each row has a field named after it; the wrong row is named, and Enter in a field answers."""
    _write(page, _field(page, "h 1 · d_k 512"), "1,048,576")
    _write(page, _field(page, "h 8 · d_k 64"), "8*4*512**2", "Enter")
    _says(page, "not yet", "h 8 · d_k 64: You wrote 8*4*512**2, which is 8,388,608. That is a full matrix")
    _write(page, _field(page, "h 8 · d_k 64"), "4*512²", "Enter")
    _says(page, "right", "Yes, all 2 rows.")


def _say_in_own_words(page: Page) -> None:
    """The model answer comes after one's own, which one marks oneself."""
    expect(page.get_by_text("A token needs several things at once.")).to_have_count(0)
    _press(page, "Compare")
    _says(page, "not taken yet", "Nothing is written yet.")
    _write(page, _field(page, "Your answer"), "One average is a compromise.")
    _press(page, "Compare")
    _says(page, "not marked yet", "A token needs several things at once.")
    _done(page, 9)
    _press(page, "Not yet")
    _says(page, "not yet", "A model answer")
    _press(page, "I had it")
    _says(page, "right", "A model answer")


def test_every_kind_of_question_is_answered_by_keyboard_wrong_and_then_right(page: Page, fake_app: Server) -> None:
    """Ten kinds, one after the other, without the mouse: each reply says what was seen, and each right answer counts."""
    shape = ("2x5x5", "You wrote (2, 5, 5). That is one map per sample")
    views = ("x.view(B, h, T, d_k)", "x.view(B, T, h, d_k).transpose(1, 2)")
    steps = (
        "Each of the eight heads has matrices of its own.",
        "Each of these matrices is as large as that of a single head of full width.",
    )
    kinds: list[Callable[[], None]] = [
        lambda: _predict(page),
        lambda: _type_answer(page, ("8*4*256**2", "which is 2,097,152. That would be a full set"), ("262 144", "262,144 is right.")),
        lambda: _type_answer(page, shape, ("torch.Size([2, 2, 5, 5])", "(2, 2, 5, 5) is right.")),
        lambda: _choose_answer(page, "Your answer", ("true", "You chose true."), ("false", "Only W_O mixes")),
        lambda: _choose_answer(page, "Your answer", (views[0], "a head would get pieces"), (views[1], "First the width is taken apart")),
        lambda: _choose_answer(page, "The step that goes wrong", (steps[0], "It does: three of them."), (steps[1], "an eighth of a full one")),
        lambda: _put_in_order(page),
        lambda: _sort_into_buckets(page),
        lambda: _fill_a_column(page),
        lambda: _say_in_own_words(page),
    ]  # fmt: skip
    _open(page, fake_app.url, 1)
    for number, answer in enumerate(kinds, start=1):
        expect(_pill(page, number)).to_be_checked(timeout=PATIENCE)
        answer()
        _done(page, number)
        if number < len(kinds):
            _press(page, "Next question")
    page.reload()
    ready(page)
    page.get_by_role("tab", name="Questions").click()
    _done(page, 10)
    _turn_to(page, 10)
    expect(_field(page, "Your answer")).to_have_value("One average is a compromise.")
    _says(page, "right", "A model answer")


def test_answers_survive_turning_pages_and_a_reload(page: Page, fake_app: Server) -> None:
    """The last answer to each question is there again; the page opens with the first question that is not done; the code is left alone."""
    _open(page, fake_app.url, 1)
    _write(page, _field(page, "Your prediction"), "4096", "Enter")
    _says(page, "right", "As you predicted.")
    _press(page, "Next question")
    expect(_questions(page)).to_contain_text("How many parameters for d_model = 256", timeout=PATIENCE)
    _write(page, _field(page, "Your answer"), "65536", "Enter")
    _says(page, "not yet", "You wrote 65,536.")
    type_code(page, "# mine")
    _turn_to(page, 3)
    _turn_to(page, 2)
    expect(_field(page, "Your answer")).to_have_value("65536", timeout=PATIENCE)
    _says(page, "not yet", "You wrote 65,536.")
    page.reload()
    ready(page)
    page.get_by_role("tab", name="Questions").click()
    expect(_questions(page)).to_contain_text("How many parameters for d_model = 256", timeout=PATIENCE)
    expect(_field(page, "Your answer")).to_have_value("65536", timeout=PATIENCE)
    _says(page, "not yet", "You wrote 65,536.")
    _done(page, 1)
    assert editor_text(page) == "# mine"


def test_what_was_written_and_not_submitted_is_there_on_return(page: Page, fake_app: Server) -> None:
    """Turning to another question by its number or by the button below keeps what stands in the fields; answering lets it go."""
    _open(page, fake_app.url, 2)
    _write(page, _field(page, "Your answer"), "4 * 256")
    _turn_to(page, 10)
    _write(page, _field(page, "Your answer"), "One average")
    _press(page, "Back to the first question")
    expect(_field(page, "Your prediction")).to_have_value("", timeout=PATIENCE)
    _turn_to(page, 10)
    expect(_field(page, "Your answer")).to_have_value("One average", timeout=PATIENCE)
    _turn_to(page, 2)
    expect(_field(page, "Your answer")).to_have_value("4 * 256", timeout=PATIENCE)
    _done(page, 0)
    _write(page, _field(page, "Your answer"), "262144", "Enter")
    _says(page, "right", "262,144 is right.")
    _turn_to(page, 1)
    _turn_to(page, 2)
    expect(_field(page, "Your answer")).to_have_value("262144", timeout=PATIENCE)


def test_a_reply_is_read_out(page: Page, fake_app: Server) -> None:
    """Whoever hears the page hears what is said to an answer."""
    _open(page, fake_app.url, 2)
    expect(_reply(page)).to_have_attribute("aria-live", "polite", timeout=PATIENCE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_all_questions_fit(browser: Browser, shared_fake_app: Server, scheme: str, width: int) -> None:
    """No question makes the page wider than the window."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    url = shared_fake_app.url
    context.add_cookies([{"name": "browser", "value": f"questions-{scheme}-{width}", "url": url}])
    page = context.new_page()
    _open(page, url, 1)
    for number in range(2, 11):
        _press(page, "Next question")
        expect(_pill(page, number)).to_be_checked(timeout=PATIENCE)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        box = _questions(page).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
    context.close()
