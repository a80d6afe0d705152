"""Numbers and shapes as people write them, read: ``1 048 576``, ``4·512²``, ``2 × 2 × 5 × 5``, ``torch.Size([2, 2, 5, 5])``."""

from __future__ import annotations

import ast
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from checkers._shapes import evaluate

LONGEST = 80
# Larger than anything that is counted here, and small enough to be worked out and printed at once.
_LARGEST = 10**15
# Powers inside one power, itself included: each of them multiplies the number of digits.
_POWERS, _LARGEST_EXPONENT = 3, 10

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SIGNS = str.maketrans({"×": "*", "·": "*", "⋅": "*", "∙": "*", "•": "*", "−": "-", "–": "-", "÷": "/", "^": "**"})
_THIRDS = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3}){2,})(?![\d.,])")
_GAPS = re.compile(r"(?<=\d)[\s_'’](?=\d{3}(?!\d))")
_SIZE = re.compile(r"^(?:torch\.)?(?:size|shape)\s*[=:]?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,;*]\s*|\s+[xX]\s+|(?<=\d)[xX](?=\d)|\s+")
_AXIS = re.compile(r"\d{1,15}|[^\W\d]\w*")

TRUTHS = ("true", "false")

Of: TypeAlias = Literal["number", "shape", "truth"]
Shape: TypeAlias = tuple[str, ...]
Value: TypeAlias = int | bool | Shape


@dataclass(frozen=True, slots=True)
class Unclear:
    """What was written cannot be read; ``why`` is a sentence for who wrote it."""

    why: str


def read_number(text: str) -> int | Unclear:
    """A whole number, or a calculation with whole numbers that gives one.

    Thousands may be set apart by commas, spaces, apostrophes or underscores. ``4*512**2``, ``4·512²``, ``4 x 512^2`` and ``512/8`` are
    calculations. With ``=`` between them, both sides must be the same number.
    """
    if len(text) > LONGEST:
        return Unclear(
            f"This is longer than {LONGEST} characters. Write a number, such as 1,536, or a calculation, such as 3*512."
        )
    sides = [_side(side) for side in text.strip().removeprefix("=").split("=")]
    for side in sides:
        if isinstance(side, Unclear):
            return side
    if len(set(sides)) > 1:
        return Unclear("The two sides of = are not the same number. Write the one you mean.")
    return sides[-1]


def read_shape(text: str) -> Shape | Unclear:
    """The sizes of a shape in order, each a number or the name of an axis; how they are set apart and enclosed does not matter."""
    if len(text) > LONGEST:
        return Unclear(f"This is longer than {LONGEST} characters. Write the sizes in order, such as (2, 7, 15).")
    inner = _SIZE.sub("", unicodedata.normalize("NFKC", text).translate(_SIGNS).strip()).strip().strip("()[]{}").strip()
    if not text.strip():
        return Unclear("Nothing is written yet. Write the sizes in order, such as (2, 7, 15).")
    parts = _BETWEEN.split(inner.removesuffix(",").strip()) if inner else []
    for part in parts:
        if not _AXIS.fullmatch(part):
            what = f"“{part}” in it is no size" if part else "A size is missing between two signs"
            return Unclear(f"{what}. Write the sizes in order, such as (2, 7, 15).")
    return tuple(_axis(part) for part in parts)


def read(of: Of, text: str) -> Value | Unclear:
    """What was written, as the kind of value that was asked for."""
    if of == "truth":
        return Unclear("Nothing is chosen yet. Choose true or false.") if text not in TRUTHS else text == "true"
    return read_number(text) if of == "number" else read_shape(text)


def shown(value: Value) -> str:
    """A value as it is read best: ``1,048,576``, ``(2, 7, 15)``, ``true``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"({value[0]},)" if len(value) == 1 else f"({', '.join(value)})"


def as_shown(of: Of, text: str) -> str:
    """What was written, the way its value is read best; as it is where it cannot be read."""
    found = read(of, text)
    return text if isinstance(found, Unclear) else shown(found)


def same(one: Value | Unclear, other: Value | Unclear) -> bool:
    """True if both are the same value; capitals and underscores in the names of axes do not count."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return [_plain(size) for size in one] == [_plain(size) for size in other]
    return not isinstance(one, Unclear) and one == other


def has_names(value: Value) -> bool:
    """True for a shape in which an axis is named rather than numbered."""
    return isinstance(value, tuple) and any(not size.isdecimal() for size in value)


def _axis(part: str) -> str:
    return str(int(part)) if part.isdecimal() else part


def _plain(size: str) -> str:
    return size.replace("_", "").casefold()


def _side(text: str) -> int | Unclear:
    raised = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"**{found[0].translate(_RAISED)}", text)
    plain = re.sub(r"(?<=[\d)\s])[xX](?=[\d(\s])", "*", unicodedata.normalize("NFKC", raised).translate(_SIGNS))
    plain = _GAPS.sub("", _THIRDS.sub(lambda found: re.sub("[.,]", "", found[0]), plain)).strip()
    if not plain:
        return Unclear("Nothing is written yet. Write a number, such as 1,536, or a calculation, such as 3*512.")
    if re.search(r"\d[.,]\d", plain):
        return Unclear(
            "A point or comma inside a number can mean two things. Write a whole number without it, such as 1536."
        )
    if not re.fullmatch(r"[\d+\-*/()\s]+", plain, re.ASCII):
        return Unclear("This cannot be read as a number. Write digits, such as 1,536, or a calculation, such as 3*512.")
    try:
        return _worked_out(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return Unclear(
            "This calculation cannot be worked out to a whole number. Write it with + - * / and **, such as 4*512**2."
        )


def _worked_out(tree: ast.expr) -> int | Unclear:
    powers = _powers(tree)
    exponents = [node.right.value if isinstance(node.right, ast.Constant) else _LARGEST for node in powers]
    numbers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    tall = any(len(_powers(one)) > _POWERS for one in powers) or any(
        one > _LARGEST_EXPONENT for one in exponents if isinstance(one, int)
    )
    if tall or any(one > _LARGEST for one in numbers if isinstance(one, int)):
        return Unclear(
            f"This is far larger than anything that is counted here, or has an exponent above {_LARGEST_EXPONENT}."
        )
    found = evaluate(ast.unparse(_Even().visit(tree)), {})
    if abs(found) > _LARGEST:
        return Unclear("This is far larger than anything that is counted here. Look at the calculation again.")
    return found


def _powers(tree: ast.expr) -> list[ast.BinOp]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]


class _Even(ast.NodeTransformer):
    """A division that comes out even becomes one of whole numbers; any other is an error."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            if evaluate(ast.unparse(node.left), {}) % evaluate(ast.unparse(node.right), {}):
                raise ValueError("a division with a rest")
            node.op = ast.FloorDiv()
        return node
