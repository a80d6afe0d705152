"""What it means that Python cannot read the file."""

from __future__ import annotations

from tutor.meanings.rules import Rule

LINE_UP = "Line it up with the lines of its block; use four spaces a level, no tabs."

SYNTAX: tuple[Rule, ...] = (
    Rule(
        r"SyntaxError: '\{' was never closed",
        "Python has no braces around blocks.",
        "End the line with a colon, and indent what belongs to it by four spaces.",
        line=r"^\s*(?:if|elif|else|for|while|def|class)\b.*\{\s*$",
    ),
    Rule(
        r"SyntaxError: f-string: single '\}' is not allowed",
        "A } in the f-string closes nothing.",
        "Remove it; a brace that is meant as text is doubled: }}.",
    ),
    Rule(
        r"SyntaxError: '(break|continue)' (?:outside loop|not properly in loop)",
        "{1} stands where no loop is.",
        "Indent it under the loop it belongs to, or remove it.",
    ),
    Rule(
        r"SyntaxError: expected 'else' after 'if' expression",
        "An if within an expression needs its else.",
        "Write a if condition else b, or put the if on a line of its own.",
    ),
    Rule(
        r"SyntaxError: import \* only allowed at module level",
        "import * stands in a function, and Python allows it only at the top of a file.",
        "Move it there, or import the names that are used.",
    ),
    Rule(
        r"SyntaxError: expected 'except' or 'finally' block",
        "A try above this line has no except.",
        "Put an except behind its block, or remove the try.",
    ),
    Rule(r"SyntaxError: invalid syntax", "Python has no ? with a colon.", "Write a if condition else b.", line=r"\?"),
    Rule(r"SyntaxError: invalid syntax", "The value of a plain assignment stands behind =.", "Write = here; := is for within an expression, in parentheses.", line=r"^\s*\w+\s*:="),
    Rule(r"SyntaxError: invalid syntax", "A default value in a def stands behind a single =.", "Write =; == compares.", line=r"\bdef\b.*\w\s*=="),
    Rule(
        r"IndentationError: expected an indented block after (.*) on line (\d+)",
        "The block of the {1} on line {2} is empty: Python expects at least one line that is indented more.",
        "Indent the lines that belong to it by four more spaces; pass stands for a block with nothing in it.",
    ),
    Rule(
        r"IndentationError: unexpected indent",
        "Python cannot tell which block this line belongs to: it is indented more than the line before, which opens no block.",
        LINE_UP,
    ),
    Rule(
        r"IndentationError: unindent does not match",
        "Python cannot tell which block this line belongs to: no line above starts in the same column.",
        LINE_UP,
    ),
    Rule(
        r"TabError: .*",
        "Python cannot tell which block this line belongs to: tabs and spaces are mixed in front of it.",
        "Replace the tabs by four spaces each; most editors do that for the whole file.",
    ),
    Rule(r"IndentationError: (.*)", "Python cannot tell which block this line belongs to: {0}.", LINE_UP),
    Rule(
        r"SyntaxError: invalid character '(.)' \(U\+(\w+)\)|SyntaxError: invalid non-printable character (U\+(\w+))",
        "The character {first} is none that Python knows.",
        "Retype it: text from a web page often holds typographic quotes, dashes or spaces.",
    ),
    Rule(
        r"SyntaxError: '(.)' was never closed",
        "The {1} on this line is never closed.",
        "Put the closing bracket where its expression ends.",
    ),
    Rule(
        r"SyntaxError: unmatched '(.)'",
        "This {1} closes nothing: no bracket is open here.",
        "Remove it, or add the opening one that it belongs to.",
    ),
    Rule(
        r"SyntaxError: closing parenthesis '(.)' does not match opening parenthesis '(.)'",
        "The {1} here closes a bracket that was opened as {2}.",
        "Each bracket is closed by its own kind, the innermost first.",
    ),
    Rule(
        r"SyntaxError: f-string: empty expression not allowed",
        "The braces of an f-string are empty.",
        "Put a name or an expression between the braces; a brace that is meant as text is doubled: {{ or }}.",
    ),
    Rule(
        r"SyntaxError: (f-string: .*)",
        "Python cannot read what stands in the braces of an f-string: {1}.",
        "Close every brace and bracket inside it, and use the other kind of quote there than around the text.",
    ),
    Rule(
        r"SyntaxError: unterminated (triple-quoted )?string literal",
        "A text that starts with a quote on this line has no closing quote.",
        "Close it with the same quote it starts with; a text over several lines needs three.",
    ),
    Rule(
        r"SyntaxError: Missing parentheses in call to '(\w+)'",
        "{1} is a function in Python 3, so what it takes stands in parentheses.",
        "Write {1}(…).",
    ),
    Rule(
        r"SyntaxError: expected ':'",
        "Python writes elif for “else if”.",
        "Write elif and the condition, with a colon behind it.",
        line=r"\belse\s+if\b",
    ),
    Rule(
        r"SyntaxError: expected ':'",
        "This line opens a block, and the colon at its end is missing.",
        "Put a colon behind the condition, or behind the parentheses of the def or class.",
    ),
    Rule(
        r"SyntaxError: invalid syntax\. Maybe you meant '==' or ':=' instead of '='\?",
        "A condition or an argument has a single = where Python does not allow one.",
        "== compares; to ask whether something is None, write “is None”.",
    ),
    Rule(
        r"SyntaxError: cannot assign to (.*?) here",
        "What stands left of the = is a {1}, and that cannot take a value.",
        "The name that gets the value stands on the left; == compares.",
    ),
    Rule(
        r"SyntaxError: invalid decimal literal|SyntaxError: invalid \w+ literal",
        "A number on this line runs straight into a letter: names cannot start with a digit.",
        "Let the name start with a letter, or put the missing operator or space between them.",
    ),
    Rule(
        r"SyntaxError: leading zeros in decimal integer literals",
        "A whole number on this line starts with 0.",
        "Write it without the leading zero.",
    ),
    Rule(
        r"SyntaxError: positional argument follows keyword argument",
        "In a call, an argument without a name comes after one with a name.",
        "Move the arguments without a name to the front, or name them all.",
    ),
    Rule(
        r"SyntaxError: (?:non-default argument follows default argument|parameter without a default follows)",
        "In a def, a parameter without a default comes after one that has a default.",
        "Move the parameters with “= …” to the end; keep the order of the statement.",
    ),
    Rule(
        r"SyntaxError: keyword argument repeated: (\w+)",
        "The call names the argument {1} twice.",
        "Leave one of the two.",
    ),
    Rule(
        r"SyntaxError: duplicate argument '(\w+)' in function definition",
        "The def has two parameters called {1}.",
        "Rename one of them as the statement has it.",
    ),
    Rule(
        r"SyntaxError: '(return|yield)' outside function",
        "{1} stands where no function is: its line does not belong to the body of a def.",
        "Indent it under the def it belongs to, or remove it.",
    ),
    Rule(
        r"SyntaxError: unexpected character after line continuation character",
        "A backslash is followed by something on the same line, even if only a space.",
        "Remove the backslash: inside brackets a line may simply go on in the next.",
    ),
    Rule(r"SyntaxError: invalid syntax", "Python has no && and no ||.", "Write and, or.", line=r"&&|\|\|"),
    Rule(r"SyntaxError: invalid syntax", "Python has no ! for “not”.", "Write not, or ~ to invert a mask.", line=r"!(?!=)"),
    Rule(r"SyntaxError: invalid syntax", "Python has no ++ and no --.", "Write += 1 or -= 1.", line=r"\w(?:\+\+|--)\s*$"),
    Rule(
        r"SyntaxError: invalid syntax",
        "Python cannot read this line: an else or elif belongs to no if.",
        "Line it up with its if, with nothing but the block of that if in between.",
        line=r"^\s*(?:else|elif)\b",
    ),
    Rule(
        r"SyntaxError: invalid syntax\. Perhaps you forgot a comma\?",
        "Python cannot read this line: two things stand side by side with nothing between them.",
        "Put the missing comma or operator between them.",
    ),
    Rule(
        r"SyntaxError: (?:invalid syntax|unexpected EOF while parsing)",
        "Python cannot read this line: what stands there does not go together.",
        "Look for a missing bracket, comma, operator or quote, on this line or just before it; words such as class, in or lambda cannot be names.",
    ),
    Rule(
        r"SyntaxError: (.*)",
        "Python cannot read this line: {1}.",
        "Put that right on this line; if nothing is wrong on it, look at the line before.",
    ),
)  # fmt: skip
