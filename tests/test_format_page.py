"""The page on the format names every key that authors can write and no other, and every kind of check with its options and codes."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

import checkers
from checkers.base import Ending
from tutor import catalog, content, curriculum, inputs, quiz, traps

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "exercise-format.md").read_text(encoding="utf-8")
# The heading of a section, and the models that authors write in what it is about.
SECTIONS = [
    ("## curriculum.toml", (curriculum.Lesson, curriculum.Step)),
    ("## exercise.toml", (catalog._Written,)),
    ("### `[entry]`", (content.Entry,)),
    ("### `[[roles]]`", (content.Role,)),
    ("### `[readings]`", (content.Readings,)),
    ("### `[lens]`", (content.LensSetup,)),
    ("### `[[cases]]`", (content.Case, content.Again)),
    ("### `[[milestones]]`", (content.Milestone, content.Check)),
    ("### `[[mutants]]`", (traps.Mutant,)),
    ("## traps/", (traps.Trap, traps.Variant, traps.Symptom, traps.Example, traps.Borrowed)),
]
COMMON = {*quiz.Asked.model_fields, "kind"}


def _section(heading):
    """What stands under a heading, up to the next one of any level."""
    body = PAGE[PAGE.index(f"\n{heading}") + 1 + len(heading) :]
    end = re.search(r"^#", body, re.MULTILINE)
    return body[: end.start()] if end else body


def _fields(*models):
    names = {field.alias or name for model in models for name, field in model.model_fields.items()}
    return names - catalog.BESIDE if catalog._Written in models else names


def _tables(section):
    """Header → rows, each a list of cells."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in block.splitlines()]
        found.append((head, rows))
    return found


def _quoted(text):
    """The passages in backticks, without the brackets of a table of TOML."""
    return [passage.strip("[]") for passage in re.findall(r"`([^`]+)`", text)]


def _words(text):
    """The passages that are names of keys, ``fresh`` in ``fresh = true``."""
    heads = (re.fullmatch(r"([a-z_]+)(?: = .*)?", passage) for passage in _quoted(text))
    return {head[1] for head in heads if head}


def _named(section):
    return {word for passage in _quoted(section) for word in re.findall(r"[A-Za-z_]+", passage)}


@pytest.mark.parametrize(("heading", "models"), SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_every_key_is_explained(heading, models):
    """What an author may write stands in the section that is about it."""
    assert _fields(*models) - _named(_section(heading)) == set()


@pytest.mark.parametrize(("heading", "models"), SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_every_key_of_a_table_exists(heading, models):
    """A table of keys names none that the loader would refuse."""
    tables = [rows for head, rows in _tables(_section(heading)) if head[0].startswith("key")]
    named = {word for rows in tables for row in rows for word in _quoted(row[0])}
    assert named - _fields(*models) == set()


def _rows(column, heading):
    tables = [rows for head, rows in _tables(_section(heading)) if head[:2] == ["kind", column]]
    return {_quoted(row[0])[0]: row for rows in tables for row in rows}


KINDS = _rows("content when", "### `[[milestones]]`")


def test_every_kind_of_check_is_explained():
    """Each file in ``checkers`` that is a kind has a row, and each row a file."""
    assert sorted(KINDS) == sorted(checkers.kinds())


@pytest.mark.parametrize("kind", checkers.kinds())
def test_the_options_of_a_kind_are_those_it_takes(kind):
    """The row names every option, and nothing that is none."""
    parameters = inspect.signature(checkers.load_kind(kind).check).parameters.values()
    options = {parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY}
    assert _words(KINDS[kind][2] if len(KINDS[kind]) > 2 else "") == options


def _constants(node):
    """The texts that an expression may be: of a conditional one, both."""
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=body, orelse=orelse):
            return _constants(body) | _constants(orelse)
        case ast.Tuple(elts=elts):
            return _constants(elts[0]) if elts else set()
    return set()


def _codes(kind):
    """The codes that a kind's file writes down; a shape's begins with the name of a result."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / "checkers" / f"{kind}.py").read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="Finding"), args=[code, *_]):
                found |= _constants(code)
            case ast.Assign(
                targets=[ast.Name(id="code" | "CODE") | ast.Tuple(elts=[ast.Name(id="code" | "CODE"), *_])]
            ):
                found |= _constants(node.value)
    return found


@pytest.mark.parametrize("kind", checkers.kinds())
def test_the_codes_of_a_kind_are_listed(kind):
    """A symptom can name every code that a check of this kind gives."""
    row = _rows("codes", "### `[[milestones]]`").get(kind, ["", ""])
    assert _codes(kind) - set(_quoted(row[1])) == set()


def test_every_code_that_is_listed_is_given():
    """No symptom waits for a code that nothing gives."""
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "checkers").glob("*.py")))
    listed = {code for row in _rows("codes", "### `[[milestones]]`").values() for code in _quoted(row[1])}
    unknown = {code for code in listed if f'"{code}"' not in sources}
    assert unknown == {"NAME-shape", "later", "code"}
    assert {"raised", "did_not_load", "timed_out"} <= {ending.value for ending in Ending} & set(
        _quoted(_section("### `[[milestones]]`"))
    )


def test_every_word_that_begins_a_recipe_is_explained():
    """The section on cases shows each with what stands behind it."""
    assert set(inputs.RECIPES) - {passage.split()[0] for passage in _quoted(_section("### `[[cases]]`"))} == set()


def test_every_place_is_explained():
    """What leads from the line of the numbers to the line to change."""
    rows = next(rows for head, rows in _tables(_section("## traps/")) if head[0] == "`place`")
    places = {passage.strip('"') for row in rows for passage in _quoted(row[0])}
    assert places == set(get_args(traps.Trap.model_fields["place"].annotation)) - {""}


def _parts(model):
    """The fields of a question's own parts, such as those of an option."""
    inner = re.findall(r"tutor\.quiz\.(\w+)", str([field.annotation for field in model.model_fields.values()]))
    found = [getattr(quiz, name) for name in inner]
    return [part for part in found if isinstance(part, type) and issubclass(part, BaseModel)]


@pytest.mark.parametrize("kind", quiz.KINDS)
def test_the_keys_of_a_kind_of_question_are_those_it_takes(kind):
    """The row names every key beside those of every question, and the keys of its parts, and nothing that is none."""
    model = quiz.KINDS[kind]
    row = next(
        row
        for head, rows in _tables(_section("## quiz.toml"))
        if head[0] == "kind"
        for row in rows
        if row[0] == f"`{kind}`"
    )
    assert set(model.model_fields) - COMMON - _words(row[2]) == set()
    parts = _parts(model)
    assert _words(row[2]) - {"true", "false"} <= {
        *model.model_fields,
        *(name for part in parts for name in part.model_fields),
    }
    shown = {name for part in parts if part is not quiz.Foreseen for name in part.model_fields}
    assert shown - _words(row[2]) == set()


def test_the_keys_of_every_question_are_explained():
    """Those that each kind has, and those of an answer that was foreseen."""
    section = _section("## quiz.toml")
    rows = next(rows for head, rows in _tables(section) if head[0].startswith("key"))
    assert {word for row in rows for word in _quoted(row[0])} == COMMON
    assert set(quiz.Foreseen.model_fields) <= _named(section)
