"""The pages that users read: their blocks, taken out and run as they stand, and what they point to."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Block:
    """A block of code on a page.

    Attributes:
        page: the page's path in the repository.
        heading: the heading it stands under.
        text: the block.
    """

    page: str
    heading: str
    text: str

    def run(self, folder: Path) -> dict[str, Any]:
        """Run a block of Python, which reads and writes below the folder instead of /tmp; give its names."""
        text = self.text.replace('"/tmp/', f'"{folder}/')
        names: dict[str, Any] = {}
        exec(compile(text, f"{self.page}, {self.heading}", "exec"), names)
        return names


def blocks(page: str, language: str = "python") -> list[Block]:
    """Give a page's blocks in a language, in order."""
    found, heading = [], ""
    for part in re.split(r"(?m)^(?=#{2,3} |```\w+\n)", read(page)):
        if part.startswith("#"):
            heading = part.splitlines()[0].lstrip("# ")
        elif part.startswith(f"```{language}\n"):
            found.append(Block(page, heading, part.removeprefix(f"```{language}\n").split("```")[0]))
    return found


def block_under(page: str, heading: str, language: str = "python") -> Block:
    """Give the one block under a heading."""
    (found,) = [block for block in blocks(page, language) if block.heading == heading]
    return found


def make_targets(page: str) -> set[str]:
    """Give the targets of the Makefile that a page names."""
    return {
        target for pair in re.findall(r"`make ([a-z-]+)`|\$ make ([a-z-]+)", read(page)) for target in pair if target
    }


def linked_files(page: str) -> list[Path]:
    """Give the files that a page links to."""
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", read(page))
    return [(ROOT / page).parent / link for link in links if "://" not in link]


def read(page: str) -> str:
    """Give a page's text."""
    return (ROOT / page).read_text(encoding="utf-8")
