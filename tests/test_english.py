"""Constructions that make a reader stop: their number in pages, public docstrings and messages may only fall.

About one hit in five is good English: if a pattern and a good sentence disagree, keep the sentence. Lower a ceiling when its count falls.
"""

import ast
import re
from pathlib import Path

CEILINGS = {
    "what-subject": 1,
    "of-fronted": 2,
    "where-if": 10,
    "say": 2,
    "personified": 28,
    "hold": 9,
    "stand": 0,
    "chance": 0,
    "is-no": 6,
    "allowed-are": 0,
    "it-here": 0,
    "archaic": 18,
    "anew": 0,
}
LONG_SENTENCES = 9  # among them a citation and a table

PATTERNS = {
    "what-subject": r"(?:^|[.;:] |, and |, but )(?:what|whatever|whoever|who) (?!to\b|about)(?:[\w`'()=.-]+ ){1,14}?"
    r"(?:is|are|was|has|have|had|says?|raises?|needs?|takes?|can|may|does|do|stays?|gets?|becomes?|costs?|names?|holds?)\b(?![^.;:]*\?)",
    "of-fronted": r"(?:^|[.;:] )(?-i:Of) (?!course)\w+",  # "Seed for the folds", not "Of the folds"
    "where-if": r"\bwhere\b(?!as|ver)(?! to (?:go|read))(?! (?:the|these|those) (?:lines?|figures?))",  # a condition is "if"
    "say": r"\b(?:says?|said|saying|speaks?|spoke|speaking)\b",  # objects report, return or show
    "personified": r"\b(?:tells?|told|asks?|asked|knows|knew|obeyed|heard|sees|looks? at|looked at|looking at|decides?|wants?)\b",
    "hold": r"\b(?:holds?|held|holding)\b(?!-out| out)",  # contain, store, cover
    "stand": r"\b(?:stands?|stood)\b",
    "chance": r"\bchances?\b",  # probability
    "is-no": r"(?<!here )(?<!nothing )\b(?:is|are|was|were|be|at|in|of|for|by|to|on) no "
    r"(?!longer|more\b|better|farther|less|such|way|need|doubt|larger|smaller|fewer|point)\w+",  # "is not a", not "is no"
    "allowed-are": r"\b(?:allowed|known|available|guaranteed|written|listed|public) (?:are|is)\b",  # "must be 'a' or 'b', not 'c'"
    "it-here": r"\bis it here\b|\bit is [^:;,]{1,60} here\b|\bis \w+= here\b",  # "use fit.test(new)"
    "archaic": r"\b(?:mend(?:s|ed)?|made good|whoever|unread|likeness|unlike|alike|rightly|to the bit|to the last (?:bit|prototype|tie)"
    r"|same bits|at once|by then|for nothing|none other|nor|thereof|whatever|whom)\b",
    "anew": r"\banew\b",  # again, re-
}

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = {"Examples", "References"}  # sections of a docstring


def paragraphs(text):
    """The prose of a Markdown page: paragraphs and list entries, without code, tables, headings and front matter."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^\s*```.*?^\s*```", "\n", text, flags=re.S | re.M)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )", text)
    return [" ".join(block.split()) for block in blocks if block.strip() and not block.lstrip().startswith(("#", "|", "![", "<"))]


def indent(line):
    return len(line) - len(line.lstrip())


def sections(text):
    """The paragraphs of a docstring, without examples and references."""
    lines, skipped, out, above = [*text.splitlines(), ""], False, [""], ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"\s*-{3,}", below):
            skipped = line.strip() in SKIPPED
            out.append("")
        elif not line.strip() or line.lstrip().startswith("* ") or indent(line) != indent(above):
            out.append("")
        if re.fullmatch(r"\s*-{3,}", line):
            out.append("")
        elif not skipped:
            out[-1] += " " + line.strip().removeprefix("* ")
        above = line
    return [block.strip() for block in out if block.strip()]


def public_names():
    """Names of the package, of its public modules, and of the classes and functions that a fit and a validation are made of."""
    names = ("__init__.pyi", "errors.py", "extend.py", "results.py", "sklearn/__init__.py", "testing/__init__.py", "fitting.py")
    modules = [ROOT / "protoclass" / name for name in names]
    return {alias.asname or alias.name for module in modules for node in ast.walk(ast.parse(module.read_text()))
            if isinstance(node, ast.ImportFrom) for alias in node.names}  # fmt: skip


def documented(tree, names):
    """The docstrings of public classes and functions, and of the public methods of these classes."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    for top in tree.body:
        if isinstance(top, kinds) and top.name in names and not top.name.startswith("_"):
            methods = [node for node in top.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
            yield from filter(None, map(ast.get_docstring, [top, *(methods if isinstance(top, ast.ClassDef) else [])]))


def strings(tree):
    """The texts of four words or more that are not docstrings; {} stands for a value."""
    nodes = list(ast.walk(tree))
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inner |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if id(node) not in inner and " " in text.strip() and len(re.findall(r"[a-z]{2,}", text)) >= 4:
            yield text


def written():
    """(file, paragraph) of the pages, except the list of changes."""
    pages = [page for folder in (".", "docs", "vignettes", "benchmarks") for page in sorted((ROOT / folder).glob("*.md"))]
    pages.remove(ROOT / "CHANGELOG.md")
    for page in pages:
        yield from ((page, block) for block in paragraphs(page.read_text(encoding="utf-8")))


def described():
    """(file, paragraph) of the public docstrings."""
    names = public_names()
    for module, tree in modules():
        yield from ((module, block) for text in documented(tree, names) for block in sections(text))


def modules():
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted((ROOT / "protoclass").rglob("*.py"))]


def prose():
    """(file, paragraph) of all that a user reads."""
    yield from written()
    yield from described()
    for module, tree in modules():
        yield from ((module, text) for text in strings(tree))


def hits():
    compiled = {name: re.compile(pattern, re.I) for name, pattern in PATTERNS.items()}
    found = {name: [] for name in PATTERNS}
    for path, text in prose():
        for name, pattern in compiled.items():
            for match in pattern.finditer(text):
                around = text[max(0, match.start() - 50) : match.end() + 50]
                found[name].append(f"{path.relative_to(ROOT)}: ...{around}...")
    return found


def test_awkward_constructions_become_fewer():
    found = hits()
    more = {name: lines for name, lines in found.items() if len(lines) > CEILINGS[name]}
    told = [f"{name}: {len(lines)} hits, at most {CEILINGS[name]}:\n  " + "\n  ".join(lines) for name, lines in more.items()]
    assert not more, "\n".join(told)


def test_sentences_of_more_than_40_words_become_fewer():
    sentences = [
        (path, sentence)
        for path, text in [*written(), *described()]
        for sentence in re.split(r"(?<=[.?!]) +(?=[A-Z`*(\"'])", text)
        if len(sentence.split()) > 40
    ]
    assert len(sentences) <= LONG_SENTENCES, "\n".join(f"{path.relative_to(ROOT)}: {sentence}" for path, sentence in sentences)
