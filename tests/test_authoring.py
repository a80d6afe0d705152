"""Whatever an author gets wrong, lint answers with file, key and what is allowed, never with a traceback."""

from __future__ import annotations

import shutil

import pytest

from tutor.lint import lint
from tutor.settings import PROJECT

SLUG = "scaled-dot-product-attention"
EXERCISE, TRAP, REFERENCE = "exercise.toml", "traps/missing-scale.toml", "reference"
PLAIN = 'Q = "randn B T_q d_k", K = "randn B T_k d_k", V = "randn B T_k d_v" }\ntape = true'
VARIANT = 'replace = { scaled = "scores" }'
SCALE = "    scaled = scores / math.sqrt(Q.shape[-1])"
QUESTION = "Each score is a sum of d_k products. What happens to the size of such a sum as d_k grows, and to a softmax over large numbers?"
OTHER_QUESTION = (
    "Call your function without a mask and print the weights. Is the upper right corner empty? Who asked for that?"
)


def _q(recipe):
    """The first case with another recipe for Q."""
    return PLAIN, PLAIN.replace("randn B T_q d_k", recipe)


def _symptom(text):
    return VARIANT, f"{VARIANT}\n\n[[symptoms]]\n{text}"


def _mutant(text):
    return '[[mutants]]\nsays = "limits the scores"\n', f'[[mutants]]\nsays = "x"\n{text}\n\n[[mutants]]\nsays = "y"\n'


MISTAKES = {
    # What is no TOML, or not the keys there are.
    "syntax": (EXERCISE, "[entry]", "[entry", "", "is not valid TOML"),
    "trap syntax": (TRAP, "[[variants]]", "[[variants", "", "is not valid TOML"),
    "no title": (EXERCISE, 'title = "Scaled dot-product attention"', "", "title", "is missing"),
    "no hints": (TRAP, "hints = [", "hint = [", "hints", "is missing"),
    "what lies beside": (EXERCISE, "\n[entry]", '\nreference = "x"\n\n[entry]', "reference", "unknown key; allowed: borrows"),
    "format": (EXERCISE, "format = 1", "format = 3", "format", "Input should be 1"),
    "key twice": (EXERCISE, "\n[entry]", "\nmilestones = []\n\n[entry]", "", "is not valid TOML"),
    # Names of what is not there, or there twice.
    "kind": (EXERCISE, 'kind = "completes"', 'kind = "complets"', "milestones.0.checks.0.kind", "allowed: buffers, completes"),
    "option": (EXERCISE, 'id = "loads"', 'id = "loads"\noptions = { x = 1 }', "milestones.0.checks.0.options", "“x” is no"),
    "option value": (EXERCISE, 'result = "weights"', "result = 3", ".options.result", "3: Input should be a valid string"),
    "result": (EXERCISE, 'result = "weights"', 'result = "wights"', ".options.result", "allowed: output, weights"),
    "case": (EXERCISE, 'cases = ["load"]', 'cases = ["lod"]', "milestones.0.checks.0.cases", "allowed: load, plain"),
    "kind of case": (EXERCISE, 'kind = "returns"\ncases = ["plain"', 'kind = "repeats"\noptions = { mode = "again" }\ncases = ["load", "plain"', "milestones.0.checks.2", "repeats cannot look at load"),
    "need": (EXERCISE, 'needs = ["shapes/loads"]', 'needs = ["shapes/pair"]', "milestones.0.checks.1.needs", "no earlier check"),
    "case twice": (EXERCISE, 'name = "recorded"', 'name = "plain"', "cases", "plain appears more than once"),
    "check twice": (EXERCISE, 'id = "runs"', 'id = "loads"', "milestones.0.checks", "loads appears more than once"),
    "milestone twice": (EXERCISE, 'id = "softmax"', 'id = "shapes"', "milestones", "shapes appears more than once"),
    "input twice": (EXERCISE, 'keyword = ["mask"]', 'keyword = ["K"]', "entry", "K appears more than once"),
    "no id": (EXERCISE, 'id = "runs"', 'id = "It runs"', "milestones.0.checks.1.id", "small letters"),
    "long id": (EXERCISE, 'id = "runs"', f'id = "{"very-" * 16}long"', "milestones.0.checks.1.id", "longer than 80 characters"),
    "other trap": (TRAP, "[[variants]]", 'same_as = ["none"]\n\n[[variants]]', "same_as", "“none” is no trap; allowed: always-causal"),
    "brought trap": (TRAP, "[[variants]]", 'brings = ["none"]\n\n[[variants]]', "brings", "“none” is no trap"),
    "place": (TRAP, "[[variants]]", 'place = "here"\n\n[[variants]]', "place", "'call', 'definition'"),
    "trap id": (TRAP, 'id = "missing-scale"', 'id = "no-scale"', "id", "must equal the file's name"),
    # Sizes and recipes.
    "size": (EXERCISE, "dims = { B = 2, T_q = 7", "dims = { B = 0, T_q = 7", "cases.0.dims.B", "greater than or equal to 1"),
    "no word": (EXERCISE, *_q(""), "cases.0.inputs.Q", "allowed: randn, whole, ones, zeros, causal"),
    "lone factor": (EXERCISE, *_q("randn *"), "cases.0.inputs.Q", "a factor is written"),
    "two factors": (EXERCISE, *_q("randn B T_q d_k * 2 * 3"), "cases.0.inputs.Q", "a factor is written"),
    "odd factor": (EXERCISE, *_q("randn B T_q d_k * ²"), "cases.0.inputs.Q", "a factor is written"),
    "factor of a mask": (EXERCISE, *_q("mask B T_q T_k * 2"), "cases.0.inputs.Q", "a factor is written"),
    "no size": (EXERCISE, *_q("randn"), "cases.0.inputs.Q", "names no sizes"),
    "unknown size": (EXERCISE, *_q("randn B T_x"), "cases.0.inputs.Q", "the dimensions are B, T_q"),
    "formula": (EXERCISE, *_q("randn B T_q//0"), "cases.0.inputs.Q", "the dimensions are B, T_q"),
    "below one": (EXERCISE, *_q("randn B T_q-9"), "cases.0.inputs.Q", "1 or more"),
    "too large": (EXERCISE, *_q("randn B T_q**40"), "cases.0.inputs.Q", "values in all"),
    "one axis": (EXERCISE, *_q("causal T_q"), "cases.0.inputs.Q", "two sizes"),
    "nothing to renew": (EXERCISE, *_q("renew K from 2"), "cases.0.inputs.Q", "the first call has nothing"),
    "token": (EXERCISE, "renew Q from 4", "renew Q from ²", "again.0.inputs.Q", "renew INPUT from TOKEN"),
    "late token": (EXERCISE, "renew Q from 4", "renew Q from 7", "again.0.inputs.Q", "has 7 tokens"),
    "renewed mask": (EXERCISE, "renew Q from 4", "renew mask from 4", "again.0.inputs.Q", "INPUT one of: Q, K, V"),
    "size of a later call": (EXERCISE, "again = [{}, {", "again = [{ dims = { T_z = 1 } }, {", "again.0.dims", "“T_z” is no dimension"),
    "shape": (EXERCISE, 'output = "... T_q d_v"', 'output = "T_q ... d_v"', "entry.returns.output", "the dimensions are B, T_q"),
    "later call": (EXERCISE, 'mode = "again"', 'mode = "again", call = 7', ".options.call", "7 is no call of"),
    # Traps.
    "blank hint": (TRAP, "    \"Between the product", "    \" \", # \"Between", "hints.1", "must not be blank"),
    "no question": (TRAP, "and to a softmax over large numbers?", "and to a softmax.", "hints.0", "is a question"),
    "repeated hint": (TRAP, '    "Between the product', f'    "{QUESTION.replace("score ", "score  ")}", # "Between', "hints.1", "repeats an earlier rung"),
    "shared hint": (TRAP, QUESTION, OTHER_QUESTION, "hints.0", "is a rung of always-causal, too; only the last one"),
    "two hints": (TRAP, '    "scores = Q @ K', '    # "scores = Q @ K', "hints.2", "is missing"),
    "nothing recognises it": ("traps/query-with-query.toml", "[[variants]]\nreplace = { scores =", "[[examples]]\nedits = [['Q @', 'Q +']]\n# ", "", "neither variants nor symptoms"),
    "stage": (TRAP, VARIANT, 'replace = { scale = "scores" }', "variants.0.replace", "allowed: scores, scaled"),
    "no expression": (TRAP, VARIANT, 'replace = { scaled = "scores /" }', "variants.0.replace.scaled", "is no expression"),
    "later stage": (TRAP, VARIANT, 'replace = { scaled = "masked" }', "variants.0.replace.scaled", "“masked” is not there yet; allowed stages: scores"),
    "own stage": (TRAP, VARIANT, 'replace = { scores = "scores" }', "variants.0.replace.scores", "allowed stages: none"),
    "memory": (TRAP, VARIANT, 'replace = { scaled = "scores + first.Q.sum()" }', "variants.0.replace.scaled", "is for classes"),
    "pattern": (TRAP, *_symptom("source = '('"), "symptoms.0.source", "is no pattern: missing )"),
    "no condition": (TRAP, *_symptom("line = 'x'"), "symptoms.0", "holds always"),
    "check": (TRAP, *_symptom("check = 'shapes/lods'"), "symptoms.0.check", "allowed: shapes/loads"),
    "operands": (TRAP, *_symptom("operands = ['T_q T_z']"), "symptoms.0.operands", "“T_q T_z” has no size"),
    "inside": (TRAP, *_symptom("code = 'x'\ninside = 'a b'"), "symptoms.0.inside", "is no name in Python"),
    "passage": (TRAP, VARIANT, VARIANT + "\n\n[[examples]]\nedits = [['none', '']]", "examples.0.edits", "“none” is not in the reference"),
    "no edits": (TRAP, VARIANT, VARIANT + "\n\n[[examples]]\nedits = []", "examples.0.edits", "at least 1 item"),
    "mutant's stage": (EXERCISE, *_mutant('replace = { scale = "1" }'), "mutants.0.replace", "“scale” is no stage"),
    "mutant's passage": (EXERCISE, *_mutant('edits = [["none", ""]]'), "mutants.0.edits", "not in the reference"),
    "mutant without stages": (EXERCISE, *_mutant('replace = { scaled = "1" }\nedits = [["    return output, weights", "    return ("]]'), "mutants.0.edits", "leave no stages"),
    "mutant with another reference": (EXERCISE, *_mutant('replace = { scaled = "1" }\nedits = [["def scaled", "def other"]]'), "mutants.0.edits", "leave no stages"),
    # The reference.
    "reference syntax": (REFERENCE, "def scaled", "deff scaled", "", "cannot be loaded"),
    "other name": (REFERENCE, "def scaled", "def scalled", "", "cannot be loaded"),
    "stage twice": (REFERENCE, SCALE, f"{SCALE}\n{SCALE}", "line 25", "must be an assignment to one new name"),
    "not a stage": (REFERENCE, SCALE, f"{SCALE}\n    assert K.dim()", "line 25", "must be an assignment"),
    "returned value": (REFERENCE, "return output, weights", "return output + 0, weights", "line 28", "must return names of stages"),
}  # fmt: skip


@pytest.fixture
def spoilt(tmp_path):
    """File, passage and what stands there instead → what lint says."""
    shutil.copytree(PROJECT / "exercises" / SLUG, tmp_path / SLUG)
    shutil.copytree(PROJECT / "reference", tmp_path / "reference")

    def told(file, before, after):
        path = tmp_path / "reference" / f"{SLUG.replace('-', '_')}.py" if file == REFERENCE else tmp_path / SLUG / file
        assert before in path.read_text()
        path.write_text(path.read_text().replace(before, after, 1))
        return lint(tmp_path / SLUG, tmp_path / "reference")[0][0]

    return told


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named(spoilt, mistake):
    """File, key, what is wrong and what is allowed."""
    file, before, after, key, problem = mistake
    found = spoilt(file, before, after)
    assert found.file.endswith(f"{SLUG.replace('-', '_')}.py" if file == REFERENCE else f"{SLUG}/{file}")
    assert key in found.key
    assert problem in found.problem
