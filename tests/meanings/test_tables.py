"""The tables of rules, and the text they are read beside."""

from __future__ import annotations

import re

import pytest

from checkers.base import About, Ending, Fault, Observation
from tutor.explain import explain
from tutor.meanings.syntax_errors import SYNTAX
from tutor.meanings.tables import PLACE, PLACES, TABLES
from tutor.meanings.text import Text

RULES = [rule for table in (SYNTAX, *TABLES) for rule in table]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.pattern[:60])
def test_every_place_in_a_sentence_can_be_filled(rule):
    """A place is a group of the pattern or a known word."""
    groups = re.compile(rule.pattern).groups
    for _, name in re.findall(PLACE, rule.message + rule.step):
        assert name in PLACES or (name.isdigit() and int(name) <= groups), name


def test_every_word_for_a_place_is_used():
    """No word stands for something that no sentence says."""
    used = {name for rule in RULES for _, name in re.findall(PLACE, rule.message + rule.step)}
    assert set(PLACES) <= used


@pytest.mark.parametrize("sign", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_lines_are_counted_as_python_counts_them(sign):
    """A form feed or a line separator ends no line."""
    text = Text(f"x = 1  # one{sign}still one\ny = 2\nz = 3\n", "f")
    assert text.line(3) == "z = 3"
    assert text.statement(3) == "z = 3"
    assert [node.lineno for node in text.tree.body] == [1, 2, 3]


@pytest.mark.parametrize(("kind", "called"), [("class", "forward"), ("function", "Attend")])
def test_what_is_asked_for_is_told_by_its_kind(kind, called):
    """A function may start with a capital, a class with a small letter; only a class is given advice on layers."""
    about = About("Attend", roles={}, returns={}, dims={}, kind=kind)
    fault = Fault("RuntimeError", "expected scalar type Float but found Double", 3)
    assert about.called == called
    assert ("plain list" in explain(Observation("a", Ending.RAISED, fault=fault), about).next_step) == (kind == "class")
