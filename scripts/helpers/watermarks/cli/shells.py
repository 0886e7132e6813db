"""Completion in the user's shell: the script that click has for it, shown or put where the shell finds it."""

from __future__ import annotations

import os
from collections.abc import Callable

import click

NAME, VARIABLE = "watermarks", "_WATERMARKS_COMPLETE"

# Where a shell's script goes, in the user's home; and, where it would not be found there, the settings that say so.
PLACES = {
    "bash": (f".bash_completions/{NAME}.sh", ".bashrc", "source '{script}'"),
    "zsh": (f".zfunc/_{NAME}", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (f".config/fish/completions/{NAME}.fish", "", ""),
}


def show(shell: str, script: str) -> None:  # noqa: ARG001
    """Print the script."""
    click.echo(script, nl=False)


def install(shell: str, script: str) -> None:
    """Put the script where the shell finds it, and say where that is."""
    from pathlib import Path

    place, settings, line = PLACES[shell]
    path, said_in = Path.home() / place, Path.home() / settings
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    if settings:
        line = line.format(script=path)
        said = said_in.read_text(encoding="utf-8") if said_in.exists() else ""
        if line not in said.splitlines():
            with said_in.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n" if said.endswith("\n") or not said else f"\n{line}\n")
    click.echo(f"{shell} completion installed in {path}")
    click.echo("Completion will take effect once you restart the terminal")


def _option(name: str, use: Callable[[str, str], None], told: str) -> click.Option:
    """Make an option that takes the name of a shell, or none for the one that the user has."""

    def end_with(context: click.Context, parameter: click.Parameter, given: str | None) -> None:
        if given is None or context.resilient_parsing:
            return
        from click.shell_completion import get_completion_class

        shell = given or os.environ.get("SHELL", "").rpartition("/")[2]
        found = get_completion_class(shell) if shell in PLACES else None
        if found is None:
            known = f"{shell!r} is not one of them" if shell else "SHELL does not tell yours"
            raise click.BadParameter(f"Name a shell: {', '.join(PLACES)}; {known}.", context, parameter)
        try:
            use(shell, found(context.command, {}, NAME, VARIABLE).source())
        except (OSError, RuntimeError, UnicodeError) as error:  # a home that cannot be written, a shell that is too old
            raise click.ClickException(f"{shell} completion could not be had: {error}") from None
        context.exit()

    return click.Option(
        [name],
        is_flag=False,
        flag_value="",
        is_eager=True,
        expose_value=False,
        callback=end_with,
        metavar="[SHELL]",
        help=told,
    )


COMPLETION_OPTIONS = (
    _option("--install-completion", install, "complete jobs, runs and sources in your shell: bash, zsh or fish"),
    _option("--show-completion", show, "show the script that does it, to put it elsewhere"),
)
