"""make_pages.py TREE PACKAGE FOLDER VERSION: write the sources of the documentation site, for mkdocs.

FOLDER/docs gets the pages of TREE (README, docs, the pages of examples), a page for each public header of C and for each
module of PACKAGE, the folder of the package for Python; FOLDER/mkdocs.yml gets the order of the pages. Links to files of
the tree that have no page lose their target.
"""

import importlib
import inspect
import json
import os
import re
import shutil
import sys
from pathlib import Path

MODULES = ["quern", "quern.trajectory", "quern.queries", "quern.data", "quern.tune", "quern.tune.kernels", "quern.fuse", "quern.deform", "quern.context", "quern.errors"]
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")


class Site:
    def __init__(self, tree, folder):
        self.tree, self.docs = Path(tree).resolve(), Path(folder) / "docs"
        self.places = {}  # file of the tree: place in docs

    def plan(self):
        self.places[self.tree / "README.md"] = "index.md"
        for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"):
            self.places[self.tree / f"{name}.md"] = f"project/{name.lower()}.md"
        self.places[self.tree / "LICENSE"] = "project/license.md"
        for path in sorted((self.tree / "docs").rglob("*")):
            if path.is_file() and path.suffix in (".md", ".png", ".svg", ".jpg"):
                self.places[path] = str(path.relative_to(self.tree / "docs"))
            elif path.suffix == ".ipynb":
                self.places[path] = str(path.relative_to(self.tree / "docs").with_suffix(".md"))
        for path in sorted((self.tree / "examples").rglob("README.md")):
            self.places[path] = str(path.relative_to(self.tree)).replace("README.md", "index.md")
        for path in sorted((self.tree / "include/quern").glob("*.h")):
            self.places[path] = f"c/{path.stem}.md"

    def rewritten(self, path, text):
        """The text of a page with its links as they are in the site."""
        here = Path(self.places[path]).parent

        def link(match):
            target, _, anchor = match.group(2).partition("#")
            if not target or re.match(r"[a-z]+:", target):
                return match.group(0)
            file = Path(os.path.normpath(path.parent / target))
            for candidate in (file, file / "README.md"):
                if candidate in self.places:
                    place = os.path.relpath(self.places[candidate], here)
                    return f"{match.group(1)}({place}{'#' + anchor if anchor else ''})"
            if not file.exists():
                raise SystemExit(f"{path}: the link {match.group(2)} leads nowhere")
            return match.group(1).strip("[]") if match.group(1)[0] == "[" else ""

        return LINK.sub(link, text)

    def write(self, place, text):
        path = self.docs / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self):
        for path, place in self.places.items():
            if path.suffix == ".md":
                self.write(place, self.rewritten(path, path.read_text(encoding="utf-8")))
            elif path.suffix == ".ipynb":
                self.write(place, self.rewritten(path, notebook_page(path)))
            elif path.suffix == ".h":
                self.write(place, header_page(path))
            elif path.name == "LICENSE":
                self.write(place, "# Licence\n\n" + block(path.read_text(encoding="utf-8"), "text"))
            else:
                (self.docs / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self.docs / place)


def block(text, language):
    return f"```{language}\n{text.rstrip()}\n```\n"


def comment_text(comment):
    """The words of a comment of C as Markdown; its indented lines are code."""
    lines = [re.sub(r"^ \* ?", "", line) for line in comment[2:-2].strip("\n").split("\n")]
    lines[0] = lines[0].strip()
    return "\n".join(line.replace("<", "&lt;").replace("*", "\\*") if not line.startswith("    ") else line for line in lines).strip() + "\n"


def notebook_page(path):
    """A notebook as Markdown: texts, code, and what the code prints."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text + "\n" if cell["cell_type"] == "markdown" else block(text, "python"))
        parts += [block("".join(output["text"]), "text") for output in cell.get("outputs", [])]
    return "\n".join(parts)


def header_page(path):
    """Public declarations of a header in their order, each comment before what it describes."""
    text = path.read_text(encoding="utf-8")
    introduction, _, rest = text.partition("#ifndef ")
    rest = re.sub(r'#ifdef __cplusplus\nextern "C" \{\n#endif\n|#ifdef __cplusplus\n\}\n#endif\n|#pragma .*\n', "", rest)
    rest = re.sub(r"^QUERN_\w+\n#define QUERN_\w+\n", "", rest)
    rest = re.sub(r"#endif\s*$", "", rest)
    parts = [f"# quern/{path.name}\n"]
    if introduction.strip():
        parts.append(comment_text(introduction.strip()))
    includes = "".join(re.findall(r"#include .*\n", rest))
    parts.append(block(f"#include <quern/{path.name}>", "c"))
    rest = rest.replace(includes, "", 1) if includes else rest
    at, code = 0, []
    for match in re.finditer(r"^/\*(?:.|\n)*?\*/[ \t]*\n", rest, re.M):
        code.append(rest[at : match.start()])
        code.append(match.group(0).strip())
        at = match.end()
    code.append(rest[at:])
    for number, piece in enumerate(code):
        title = re.fullmatch(r"/\* -+ (.*) -+ \*/", piece)
        if title:
            parts.append(f"## {title.group(1)[0].upper()}{title.group(1)[1:]}\n")
        elif number % 2:
            parts.append(comment_text(piece))
        elif piece.strip():
            parts.append(block(re.sub(r"\n{3,}", "\n\n", piece.strip("\n")), "c"))
    return "\n".join(parts)


def documented(thing):
    """A docstring as Markdown; its options, "    name: meaning", as a list."""
    text = (inspect.getdoc(thing) or "").replace("<", "&lt;").replace("*", "\\*")
    text = re.sub(r"^    ([\w ,]+(?: \[[^\]]*\])?): ", r"- `\1`: ", text, flags=re.M)
    return re.sub(r"^(\w[\w ]*:)\n- ", r"\1\n\n- ", text, flags=re.M) + "\n"


def signature_of(name, thing):
    try:
        return f"{name}{inspect.signature(thing)}"
    except (TypeError, ValueError):
        return f"{name}(…)"


def class_part(name, one):
    parts = [f"## {name}\n", block(signature_of(name, one), "python"), documented(one)]
    for member, value in sorted(vars(one).items()):
        if member.startswith("_"):
            continue
        thing = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if inspect.isfunction(thing):
            parts += [f"### {name}.{member}\n", block(signature_of(f"{name}.{member}", thing), "python"), documented(thing)]
        elif isinstance(value, property):
            parts += [f"### {name}.{member}\n", documented(value)]
    return parts


def module_page(name):
    module = importlib.import_module(name)
    parts = [f"# {name}\n", documented(module)]
    public = getattr(module, "__all__", [one for one in dir(module) if not one.startswith("_")])
    functions, classes, errors = [], [], []
    for member in sorted(public):
        thing = getattr(module, member)
        home = getattr(thing, "__module__", "") or ""
        if inspect.ismodule(thing) or not home.startswith("quern") or (name != "quern" and home != name and not hasattr(module, "__all__")):
            continue
        if inspect.isclass(thing) and issubclass(thing, Exception):
            errors.append(f"- `{member}`: {documented(thing)}")
        elif inspect.isclass(thing):
            classes += class_part(member, thing)
        elif callable(thing):
            functions += [f"## {member}\n", block(signature_of(member, thing), "python"), documented(thing)]
    return "\n".join(parts + functions + classes + (["## Exceptions\n", "".join(errors)] if errors else []))


def title_of(text):
    return re.search(r"^# +(.*)$", text, re.M).group(1).replace("`", "")


def navigation(site):
    def entries(folder):
        return "".join(f'      - "{title_of(path.read_text(encoding="utf-8"))}": {path.relative_to(site.docs)}\n' for path in sorted((site.docs / folder).rglob("*.md")))

    titles = [("Tutorials", "howto"), ("Notebooks", "notebooks"), ("Commands", "commands"), ("Examples", "examples"), ("Python", "python"), ("C", "c"), ("Formats", "formats"), ("Design", "design"), ("Project", "project")]
    made = "nav:\n  - Quern: index.md\n  - Installing: installing.md\n"
    made += "  - Coming from other programs: coming-from-other-programs.md\n"
    for title, folder in titles:
        made += f"  - {title}:\n"
        if folder == "python":
            made += '      - "import quern": python.md\n'
        if folder == "c":
            made += "      - The library: api.md\n"
        made += entries(folder)
    return made + "  - Performance: performance.md\n  - Glossary: glossary.md\n"


def main(tree, package, folder, version):
    sys.path.insert(0, str(Path(package).resolve().parent))
    site = Site(tree, folder)
    site.plan()
    site.copy()
    for name in MODULES:
        try:
            site.write(f"python/{name}.md", module_page(name))
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    settings = (Path(__file__).parent / "mkdocs.yml").read_text(encoding="utf-8")
    (Path(folder) / "mkdocs.yml").write_text(settings.replace("VERSION", version) + navigation(site), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: make_pages.py TREE PACKAGE FOLDER VERSION")
    main(*sys.argv[1:])
