"""A reference without the texts ahead of its code."""

from __future__ import annotations

import ast

import pytest

from tutor.catalog import Catalog
from tutor.ui.undocumented import undocumented

WRITTEN = '''# Who wrote this, and when.
"""About the module."""

import math


class Layer:
    """What it is.

    Args:
        h: heads.
    """

    def __init__(self, h):
        """One line."""

        # why
        self.h = h

    def text(self):
        return """no docstring"""
'''
SHOWN = '''import math


class Layer:
    def __init__(self, h):
        # why
        self.h = h

    def text(self):
        return """no docstring"""'''


def test_docstrings_and_leading_comments_go_and_nothing_else() -> None:
    """Comments beside code, texts that are values and indentation stay."""
    assert undocumented(WRITTEN) == SHOWN
    assert undocumented("x = 1\n\n\ny = 2") == "x = 1\n\n\ny = 2"


@pytest.mark.parametrize(
    "source", ['def f():\n    """All there is."""', '"""Only this."""', ""], ids=["function", "module", "nothing"]
)
def test_what_has_nothing_but_a_docstring_keeps_it(source: str) -> None:
    """What is left can always be parsed."""
    assert undocumented(source) == source


def test_every_reference_is_the_same_code(catalog: Catalog) -> None:
    """Each still has all its statements, and no quoting that only a docstring has."""
    for exercise in catalog.exercises:
        shown = undocumented(exercise.reference)
        bare = ast.parse(exercise.reference)
        for node in ast.walk(bare):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                del node.body[0]
        assert ast.dump(ast.parse(shown)) == ast.dump(bare)
        assert "``" not in shown
        assert not shown.startswith(("#", '"'))
