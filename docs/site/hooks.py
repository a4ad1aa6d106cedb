"""What mkdocs does besides for our site: pages, menu, links, scripts without a network."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parents[2]
FROM_ROOT = {"README.md": "readme.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the repository's root -> their names in the site."""
GENERATED = ("commands.md", "settings.md")
"""Pages that are written from the code."""
MENU: dict[str, tuple[str, ...]] = {
    "Begin": (
        *("index.md", "tutorial.md", "elaboration.md", "clocks.md", "registers.md"),
        *("addresses.md", "unused.md", "verification.md", "documents.md", "readme.md"),
    ),
    "How to": (
        *("web.md", "mcp.md", "slack.md", "editor.md", "watch.md", "ci.md", "pictures.md"),
        *("terminal.md", "shared-index.md", "cluster.md", "benchmarks.md", "air-gapped.md"),
        *("training.md", "workspaces.md"),
    ),
    "Reference": (
        *("commands.md", "settings.md", "json.md", "repository-settings.md", "index-format.md"),
        *("dependencies.md", "security.md"),
    ),
    "How it works": ("method.md", "scale.md", "architecture.md", "changelog.md"),
}
"""Parts of the menu -> their pages, in order; those that do not exist are left out."""
TITLES = {"index.md": "Start", "readme.md": "README"}
"""Names in the menu of pages that have the same heading."""
LINK = re.compile(r"\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")
OUTSIDE = re.compile(rb"https://(?:unpkg\.com|api\.github\.com)/[\w@./-]*")
"""Addresses that the theme's script would fetch for features that our pages do not use."""


def menu(pages: set[str]) -> list[dict[str, list[Any]]]:
    """Returns the menu of these pages; those that MENU does not name come last, by name."""
    named = {page for part in MENU.values() for page in part}
    parts = {title: [page for page in part if page in pages] for title, part in MENU.items()}
    parts["More"] = sorted(pages - named)
    named_so = {page: {title: page} for page, title in TITLES.items()}
    return [{title: [named_so.get(p, p) for p in part]} for title, part in parts.items() if part]


def in_site(text: str, page: str) -> str:
    """Returns the text of a page with its links as the site has them.

    Args:
        text: Markdown of a page of the repository.
        page: its path in the repository, such as "docs/mcp.md" or "README.md".
    """
    lines, fenced = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            fenced = not fenced
        if not fenced:
            line = LINK.sub(lambda found: _link(found[1], found[2], page), line)
            # Lists of lists: GitHub takes two spaces, Python-Markdown wants four.
            indent = len(line) - len(line.lstrip(" "))
            line = " " * indent + line
        lines.append(line)
    return "\n".join(_apart(lines))


def _apart(lines: list[str]) -> list[str]:
    """Returns the lines with an empty one before each list that follows a paragraph."""
    found: list[str] = []
    fenced = False
    for line in lines:
        before = found[-1] if found else ""
        if FENCE.match(line):
            fenced = not fenced
        begins = re.match(r"(- |1\. )", line) and not fenced
        if begins and before.strip() and not re.match(r"\s+|- |\d+\. ", before):
            found.append("")
        found.append(line)
    return found


def _link(text: str, target: str, page: str) -> str:
    """Returns a link as the site has it; one to a file that is no page becomes its name."""
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return f"[{text}]({target})"
    name, mark, anchor = target.partition("#")
    path = _joined(PurePosixPath(page).parent, name)
    if path in FROM_ROOT:
        return f"[{text}]({FROM_ROOT[path]}{mark}{anchor})"
    if path.startswith("docs/") and path.endswith(".md"):
        return f"[{text}]({path.removeprefix('docs/')}{mark}{anchor})"
    return text if text.strip("`") == path else f"{text} (`{path}`)"


def _joined(folder: PurePosixPath, name: str) -> str:
    parts: list[str] = []
    for part in (folder / name).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def generated() -> dict[str, str]:
    """Returns the text of each page that is not a file below docs/, by its name in the site."""
    from hdlgraph.serve.reference import commands_page
    from hdlgraph.settings.reference import settings_page

    texts = {"commands.md": commands_page(), "settings.md": settings_page()}
    for name, target in FROM_ROOT.items():
        texts[target] = in_site((ROOT / name).read_text(encoding="utf-8"), name)
    return texts


def on_files(files: Any, config: Any) -> Any:
    """Adds the generated pages, and makes the menu of all pages."""
    from mkdocs.structure.files import File

    for name, text in generated().items():
        files.append(File.generated(config, name, content=text))
    config.nav = menu({file.src_uri for file in files.documentation_pages()})
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrites the links of pages below docs/ that leave it."""
    name = page.file.src_uri
    known = (*GENERATED, *FROM_ROOT.values())
    return markdown if name in known else in_site(markdown, f"docs/{name}")


def on_post_build(config: Any) -> None:
    """Takes the addresses of other hosts out of the theme's scripts; leaves out what is not used.

    That is the maps of scripts, and the search's rules of other languages.
    """
    shutil.rmtree(Path(config.site_dir) / "assets" / "javascripts" / "lunr", ignore_errors=True)
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix == ".map":
            path.unlink()
        elif path.suffix in (".js", ".css"):
            data = path.read_bytes()
            kept = OUTSIDE.sub(b"about:blank", data)
            path.write_bytes(re.sub(rb"\n?(?://|/\*)# sourceMappingURL=[^\n]*", b"", kept))
