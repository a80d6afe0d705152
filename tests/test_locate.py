"""Looking into a submission's text ends with an answer or with none, whatever the text."""

from __future__ import annotations

import pytest

from tutor.locate import Searches, branch_of, definition_of, within

SUM = " + 0" * 400
HOSTILE = {
    "long sum": f"s = d_model / h{SUM}\n",
    "parentheses": "x = " + "(" * 4_000 + ")" * 4_000 + "\n",
    "lambdas": "x = " + "lambda: " * 4_000 + "0\n",
    "attributes": "x = a" + ".b" * 20_000 + "\n",
    "signs": "x = " + "-" * 20_000 + "1\n",
    "ands": "x = " + "not " * 20_000 + "1\n",
    "subscripts": "x = a" + "[0]" * 20_000 + "\n",
    "blocks": "".join(f"{' ' * depth}if x:\n" for depth in range(90)) + " " * 90 + "x = 1\n",
    "nul": "x = 1\0\n",
    "surrogate": "x = '\ud800'\n",
    "unclosed": "x = (\n",
    "empty": "",
    "one line": "x" * 60_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_makes_it_fail(text):
    """Neither depth nor length nor a character that Python cannot read."""
    definition_of(1, text)
    within("A.forward", text, text)
    within("x", text, text)
    Searches().line_of("x", text)


def test_a_number_of_many_terms_is_found():
    """The scale is worked out in the constructor, however long that line is."""
    source = f"class A:\n    def __init__(self, d_model, h):\n        self.s = d_model / h{SUM}\n\n    def forward(self, x):\n        return x / self.s\n"
    assert definition_of(6, source) == 3


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("d_model ** 0.5", True),
        ("math.sqrt(d_model)", True),
        ("d_model / h", True),
        ("pow(d_model, 0.5)", True),
        ("d_model // h", False),
        ("d_model", False),
        ("Q @ K / math.sqrt(d_model)", False),
        ("torch.matmul(Q, K) / h", False),
        ("nn.Linear(d_model, d_model / h)", False),
        ("scores.softmax(-1) / h", False),
    ],
)
def test_a_number_is_a_root_a_power_or_a_quotient(value, found):
    """What works on tensors, or only copies, is no definition of a number."""
    assert (definition_of(2, f"scale = {value}\ny = x * scale\n") == 1) is found


def test_what_only_looks_like_the_name_is_not_it():
    """Names are compared whole, with the dots before them, and the line itself is not its own definition."""
    assert definition_of(2, "self.scale = d ** 0.5\ny = x * scale\n") is None
    assert definition_of(2, "scales = d ** 0.5\ny = x * scale\n") is None
    assert definition_of(1, "scale = scale / 2\n") is None
    assert definition_of(2, "self.scale: float = d ** 0.5\ny = x * self.scale\n") == 1


SOURCE = '''def forward(x):
    return 1


class A:
    def forward(self, x):
        return 2

    def forward(self, x):
        """Text."""
        return (
            3
        )

    other = 4
'''


def test_one_definition_keeps_its_lines():
    """The last method of that name counts; everything else is blank, and lines stay where they are."""
    part = within("A.forward", SOURCE, SOURCE)
    assert Searches().line_of(r"\breturn\b", part) == 11
    assert Searches().line_of("[\\s\\S]*(?P<here>\\S)", part) == 13
    assert "other" not in part
    assert Searches().line_of("return", within("forward", SOURCE, SOURCE)) == 2


@pytest.mark.parametrize("path", ["B", "A.backward", "A.forward.x", "other"])
def test_where_there_is_no_such_definition_there_is_nothing(path):
    """Nothing is found in it, therefore."""
    assert within(path, SOURCE, SOURCE) == ""


def test_what_a_statement_gives_a_value_is_not_what_it_was_worked_out_from():
    """``scores = scores / math.sqrt(D)``: another branch that scales the scores defines no number."""
    source = "if a:\n    scores = scores / math.sqrt(D)\nelse:\n    scores = scores / math.sqrt(d)\n"
    assert definition_of(2, source) is None
    assert definition_of(2, f"{source}D = w ** 2\n") == 5


@pytest.mark.parametrize(
    ("line", "branch"), [(1, None), (2, None), (3, 2), (4, 2), (5, None), (6, None), (9, 9), (11, 10), (13, None)]
)
def test_the_branch_of_a_line_is_the_one_if_that_decides(line, branch):
    """With two round it, or after a return, it may be elsewhere; a line that chooses between two values is its own."""
    source = "a = 1\nif a:\n    b = 2\n    if b:\n        c = 3\nd = 4\n\ndef f():\n    e = 1 if a else 2\n    if e:\n        return 1\n    if a:\n        e = 2\n"
    assert branch_of(line, source) == branch


def test_what_cannot_be_parsed_has_no_branches():
    """So nothing is said of its lines."""
    assert branch_of(3, "if (:\n  a\n  b") is None


def test_a_group_counts_only_where_it_took_part_in_the_match():
    """A pattern with two ways may mark the line in one of them."""
    pattern = r"first\n(?P<here>second)|third"
    assert Searches().line_of(pattern, "\nfirst\nsecond\n") == 3
    assert Searches().line_of(pattern, "\nthird\nfourth\n") == 2
