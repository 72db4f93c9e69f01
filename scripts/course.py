#!/usr/bin/env python3
"""Makes HTML pages of the course: docs/course/LANGUAGE/*.md become DIRECTORY/LANGUAGE/*.html, README.md index.html.

  scripts/course.py DIRECTORY [--stamp FILE --depfile FILE]    run by the build: `ninja -C build course`
  scripts/course.py DIRECTORY --live PROGRAM                   also DIRECTORY/runs/, pages of the runs, in which their nodes run

The pages need no network and no script; DIRECTORY can be copied elsewhere. The Markdown that is understood is what the
pages use: headings, paragraphs, lists of one level, tables, fenced blocks, pictures on a line of their own, <details> with
<summary>, and links, `code`, **bold** and *emphasis* within lines. Everything else is an error, as are links and pictures
that lead nowhere and bold text that code hosts would not recognize. --stamp is written when all is done; --depfile
names what the pages were made of, for Ninja.
"""

import argparse
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
COURSE = ROOT / "docs" / "course"
LANGUAGES = {"en": "en", "zh": "zh-CN"}
LIVE_TEXTS = {"en": "Open this run: go through it, and change it", "zh": "打开这个运行：逐步查看，并改变它"}

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --page: #ffffff; --soft: #f3f4f6; --line: #d0d7de; --link: #0a58ca; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dde3ea; --page: #14181d; --soft: #20262d; --line: #3a434d; --link: #79b0ff; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 1.05rem/1.6 system-ui, "Noto Sans", "Noto Sans CJK SC",
  "Microsoft YaHei", "PingFang SC", sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1, h2 { line-height: 1.25; }
h2 { margin-top: 2.2em; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .88em; background: var(--soft); }
code { padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere; }
pre { padding: .8em 1em; border-radius: .4em; white-space: pre-wrap; }
pre code { padding: 0; font-size: 1em; overflow-wrap: break-word; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .35em .7em; text-align: left; vertical-align: top; }
img { display: block; box-sizing: border-box; max-width: 100%; background: #ffffff; padding: .4rem; border: 1px solid var(--line); }
details { border: 1px solid var(--line); border-radius: .4em; padding: 0 1em; }
summary { cursor: pointer; padding: .6em 0; font-weight: 600; }
details[open] summary { border-bottom: 1px solid var(--line); }
"""


class PageError(Exception):
    pass


def is_punctuation(char):
    return unicodedata.category(char)[0] in "PS"


class Page:
    """One Markdown page and the HTML that it becomes."""

    def __init__(self, path, live_text=None):
        self.path = path
        self.live_text = live_text  # of a link to a run's page; None: there are no such pages
        self.runs = []  # scenarios that have one
        self.lines = path.read_text(encoding="utf-8").split("\n")
        self.number = 0  # of the line that is read, from 1
        self.title = ""
        self.out = []

    def fail(self, what):
        raise PageError(f"{self.path.relative_to(ROOT)}:{self.number}: {what}")

    def target(self, link):
        """Where a link of the page leads in the HTML pages; None if that is no part of the course."""
        file, mark, heading = link.partition("#")
        path = (self.path.parent / file).resolve()
        if not path.is_file():
            self.fail(f"{link} leads nowhere")
        if COURSE not in path.parents:
            return None
        name = "index.html" if path.name == "README.md" else path.with_suffix(".html").name
        return f"{'' if path.parent == self.path.parent else '../' + path.parent.name + '/'}{name}{mark}{heading}"

    def inline(self, text):
        """What stands in a line: code first, since nothing in it has another meaning."""
        pieces = text.split("`")
        if len(pieces) % 2 == 0:
            self.fail("a ` without its second one in the same paragraph")
        codes = [f"<code>{html.escape(piece, quote=False)}</code>" for piece in pieces[1::2]]
        if any("<" in piece or "![" in piece for piece in pieces[::2]):
            self.fail("HTML, or a picture, within a line")
        text = html.escape("\0".join(pieces[::2]), quote=False)

        def link(found):
            words, where = found.groups()
            if where.startswith(("http:", "https:")):
                return f'<a href="{where}">{words}</a>'
            target = self.target(where)
            if target is None:
                file = (self.path.parent / where.partition("#")[0]).resolve().relative_to(ROOT)
                return f"{words} (<code>{file}</code>)"
            return f'<a href="{target}">{words}</a>'

        def bold(found):
            inner, after = found.group(1), text[found.end() : found.end() + 1]
            if is_punctuation(inner[-1]) and after and not after.isspace() and not is_punctuation(after):
                self.fail(f"**{inner}** is not bold on code hosts: a letter follows its last sign")
            return f"<strong>{inner}</strong>"

        text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, text)
        text = re.sub(r"\*\*(\S(?:.*?\S)?)\*\*", bold, text, flags=re.S)
        text = re.sub(r"\*(\S(?:[^*]*\S)?)\*", r"<em>\1</em>", text)
        if "*" in text:
            self.fail("a * without its second one")
        return re.sub("\0", lambda _: codes.pop(0), text)

    def paragraph(self, lines):
        """Lines of one paragraph. A line break is a space, except between Chinese characters."""
        text = re.sub(r"(?<=[\u2e80-\uffef])\n(?=[\u2e80-\uffef])", "", "\n".join(lines))
        return self.inline(text)

    def table(self, rows):
        cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
        if len(rows) < 3 or any(cell != "---" for cell in cells[1]) or any(len(row) != len(cells[0]) for row in cells):
            self.fail("a table has a row of names, a row of ---, and rows with as many cells")
        self.out.append("<table>")
        for kind, some in (("th", cells[:1]), ("td", cells[2:])):
            for row in some:
                self.out.append("<tr>" + "".join(f"<{kind}>{self.inline(cell)}</{kind}>" for cell in row) + "</tr>")
        self.out.append("</table>")

    def list(self, lines, sign, tag):
        items = []
        for line in lines:
            if re.match(sign, line):
                items.append([re.sub(sign, "", line, count=1)])
            elif line.startswith("  "):
                items[-1].append(line.strip())
            else:
                self.fail("a line in a list is a new item or is indented")
        self.out.append(f"<{tag}>")
        self.out += [f"<li>{self.paragraph(item)}</li>" for item in items]
        self.out.append(f"</{tag}>")

    def picture(self, line):
        found = re.fullmatch(r"!\[([^\]]+)\]\(\.\./(pictures/[^)]+\.svg)\)", line)
        if not found:
            self.fail("a picture is ![what it shows](../pictures/NAME.svg), on a line of its own")
        words, file = found.groups()
        if not (COURSE / file).is_file():
            self.fail(f"there is no docs/course/{file}; scripts/pictures.sh draws the pictures that docs/course/pictures.txt lists")
        self.out.append(f'<p><a href="../{file}"><img src="../{file}" alt="{html.escape(words)}"></a></p>')

    def block(self, lines):
        """Lines between two empty ones."""
        first = lines[0]
        if first.startswith("#"):
            found = re.fullmatch(r"(#{1,2}) (\S.*)", first)
            if not found or len(lines) > 1:
                self.fail("a heading is # or ##, one line, with an empty line after it")
            level = len(found.group(1))
            if (level == 1) != (not self.title):
                self.fail("a page has one # heading, the first")
            self.title = self.title or found.group(2)
            self.out.append(f"<h{level}>{self.inline(found.group(2))}</h{level}>")
        elif first.startswith("!["):
            for line in lines:
                self.picture(line)
        elif first.startswith("|"):
            self.table(lines)
        elif first.startswith("- "):
            self.list(lines, r"- ", "ul")
        elif re.match(r"\d+\. ", first):
            self.list(lines, r"\d+\. ", "ol")
        elif first.startswith(("<", ">", " ", "~~~")):
            self.fail("this Markdown is not understood; scripts/course.py says what is")
        else:
            self.out.append(f"<p>{self.paragraph(lines)}</p>")

    def link_runs(self, commands):
        """A link to the page of each run that the commands show for the first time here."""
        for scenario in re.findall(r"^build/zablab run (scenarios/\S+\.json)", "\n".join(commands), re.M):
            if self.live_text and scenario not in self.runs:
                self.runs.append(scenario)
                language = self.path.parent.name
                self.out.append(f'<p><a href="../runs/{run_name(scenario)}#lang={language}">{self.live_text}</a></p>')

    def convert(self):
        lines = []  # of the present block
        details = False

        def end():
            if lines:
                self.block(lines)
                lines.clear()

        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            self.number = at + 1
            at += 1
            summary = re.fullmatch(r"<summary>([^<]+)</summary>", line)
            if line.startswith("```"):
                end()
                text = []
                while at < len(self.lines) and self.lines[at] != "```":
                    text.append(self.lines[at])
                    at += 1
                if at == len(self.lines):
                    self.fail("a ``` block without an end")
                at += 1
                self.out.append(f"<pre><code>{html.escape(chr(10).join(text), quote=False)}</code></pre>")
                self.link_runs(text)
            elif line in ("<details>", "</details>"):
                end()
                if details == (line == "<details>"):
                    self.fail("<details> and </details> alternate")
                details = not details
                self.out.append(line)
            elif summary and details:
                end()
                self.out.append(f"<summary>{self.inline(summary.group(1))}</summary>")
            elif line.strip():
                lines.append(line)
            else:
                end()
        end()
        if details or not self.title:
            self.fail("a page has a # heading, and ends outside <details>")
        return "\n".join(self.out)


def run_name(scenario):
    return pathlib.Path(scenario).stem + ".html"


def make_runs(program, scenarios, directory):
    """The page of each run, with the engine inside."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "run.json"
        for scenario in sorted(scenarios):
            trace.unlink(missing_ok=True)
            # Its status also says whether the run is as expected, which is no matter here.
            subprocess.run([program, "run", scenario, "--trace", trace], cwd=ROOT, stdout=subprocess.DEVNULL)
            if not trace.exists():
                sys.exit(f"scripts/course.py: {scenario} gave no trace")
            out = directory / run_name(scenario)
            subprocess.run([program, "render", trace, "-o", out, "--live"], cwd=ROOT, check=True)


def whole(page, body, language):
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(page.title, quote=False)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("directory", type=pathlib.Path)
    options.add_argument("--stamp", type=pathlib.Path)
    options.add_argument("--depfile", type=pathlib.Path)
    options.add_argument("--live", metavar="PROGRAM", type=pathlib.Path, help="also a page of each run, in which its nodes run")
    given = options.parse_args()
    sources = [pathlib.Path(__file__).resolve()]
    made = {}
    runs = set()
    try:
        for folder, language in LANGUAGES.items():
            for path in sorted((COURSE / folder).glob("*.md")):
                page = Page(path, LIVE_TEXTS[folder] if given.live else None)
                body = page.convert()
                runs.update(page.runs)
                name = "index.html" if path.name == "README.md" else path.with_suffix(".html").name
                made[given.directory / folder / name] = whole(page, body, language)
                sources.append(path)
    except PageError as error:
        sys.exit(f"scripts/course.py: {error}")
    pictures = sorted((COURSE / "pictures").rglob("*.svg"))
    for file, text in made.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for picture in pictures:
        copy = given.directory / picture.relative_to(COURSE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, copy)
    if given.live:
        make_runs(given.live.resolve(), runs, given.directory.resolve() / "runs")
    if given.stamp and given.depfile:
        given.depfile.write_text(f"{given.stamp.name}: {' '.join(str(path) for path in sources + pictures)}\n", encoding="utf-8")
        given.stamp.touch()


if __name__ == "__main__":
    main()
