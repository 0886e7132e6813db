"""Terraform for the tests and for ``make check``: works on copies of ``infra/`` and leaves nothing in it.

``python -m tests.support.terraform check`` looks at format and validity of every configuration.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).parents[2]
INFRA = PROJECT / "infra"
CACHE = PROJECT / ".cache" / "terraform-plugins"

# Stands for what `make build` leaves: Terraform uploads it and nothing more.
WHEEL = "glue_watermarks-0.1.0-py3-none-any.whl"

# A developer's own settings of infra/ are no part of what is tested, nor is what Terraform left there.
_NOT_COPIED = shutil.ignore_patterns(".terraform*", "*.tfstate*", "*.tfplan", "*.tfvars", "*_override.tf", "backend.tf")
_NOT_PASSED_ON = ("TF_CLI_ARGS", "TF_DATA_DIR", "TF_VAR_", "TF_WORKSPACE")

_NO_PROVIDER = "no AWS provider for Terraform here: set TF_PLUGIN_DIR to a provider mirror, or go online"
_UNAVAILABLE = {
    "Failed to query available provider packages": _NO_PROVIDER,
    "Failed to install provider": _NO_PROVIDER,
    "Unsupported Terraform Core version": "Terraform is too old here: infra/versions.tf says what it must be",
}


class TerraformError(Exception):
    """A Terraform command ended as it should not; the message is what it said."""


class TerraformUnavailableError(Exception):
    """This machine has no Terraform, or none that can get the AWS provider; the message says which."""


def copy_infra(folder: Path) -> Path:
    """Copy ``infra/`` as it is in the repository, with what its example uploads beside it: scripts and a wheel.

    Args:
        folder: Where the copy goes; must not exist, nor must anything else in the folder above it.

    Returns:
        The folder.
    """
    shutil.copytree(INFRA, folder, ignore=_NOT_COPIED)
    shutil.copytree(PROJECT / "scripts" / "jobs", folder.parent / "scripts" / "jobs")
    (folder.parent / "dist").mkdir()
    (folder.parent / "dist" / WHEEL).write_bytes(b"a wheel")
    return folder


def init(folder: Path) -> None:
    """Initialise a configuration, with a provider of this machine if there is one.

    Args:
        folder: The configuration, in a copy of ``infra/``.

    Raises:
        TerraformUnavailableError: If there is no Terraform, or no AWS provider for it.
        TerraformError: If Terraform refuses the configuration itself.
    """
    mirror = plugin_dir()
    try:
        if mirror is not None:
            terraform(folder, "init", "-input=false", f"-plugin-dir={mirror}")
        else:
            with _plugin_cache() as environ:
                terraform(folder, "init", "-input=false", environ=environ)
    except TerraformError as error:
        for sign, reason in _UNAVAILABLE.items():
            if sign in str(error):
                raise TerraformUnavailableError(reason) from error
        raise


def terraform(
    folder: Path,
    *arguments: str,
    environ: Mapping[str, str] | None = None,
    expected: Collection[int] = (0,),
) -> subprocess.CompletedProcess[str]:
    """Run one Terraform command.

    Args:
        folder: Where to run it.
        arguments: The command and its arguments.
        environ: The environment instead of this process's own.
        expected: The exit codes that are no error.

    Returns:
        The finished process, with its output as text.

    Raises:
        TerraformUnavailableError: If there is no Terraform.
        TerraformError: If it ends with another exit code than those expected.
    """
    command = shutil.which("terraform")
    if command is None:
        raise TerraformUnavailableError("no terraform on the PATH: install Terraform")
    finished = subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=_quiet(os.environ if environ is None else environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode not in expected:
        said = f"{finished.stdout}\n{finished.stderr}".strip()
        raise TerraformError(f"`terraform {' '.join(arguments)}` ended with {finished.returncode}:\n{said}")
    return finished


def plugin_dir() -> Path | None:
    """The folder for ``terraform init -plugin-dir``: ``TF_PLUGIN_DIR``, else a mirror found on this machine.

    Returns:
        The folder that holds ``<registry host>/hashicorp/aws``, or None where there is none.
    """
    if os.environ.get("TF_PLUGIN_DIR"):
        return Path(os.environ["TF_PLUGIN_DIR"])
    provider = next(_mirrored_providers(), None)
    return provider and provider.parents[2]


def check() -> None:
    """Look at every configuration under ``infra/``: is it formatted, and is it valid?

    Raises:
        TerraformUnavailableError: If there is no Terraform, or no AWS provider for it.
        TerraformError: If something is wrong; the message is what Terraform said.
    """
    terraform(INFRA, "fmt", "-check", "-diff", "-recursive")
    with tempfile.TemporaryDirectory() as temporary:
        copy = copy_infra(Path(temporary, "infra"))
        for folder in sorted({file.parent for file in copy.rglob("*.tf")}):
            init(folder)
            terraform(folder, "validate")


def _mirrored_providers() -> Iterator[Path]:
    for root in (Path.home() / ".terraform.d", Path("/opt"), Path("/usr/local/share"), Path("/usr/share")):
        for depth in ("", "*/", "*/*/"):
            yield from root.glob(f"{depth}*.*/hashicorp/aws")


@contextmanager
def _plugin_cache() -> Iterator[dict[str, str]]:
    """An environment in which a provider is downloaded once, by one process at a time: Terraform does not lock."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with CACHE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield {
            "TF_PLUGIN_CACHE_DIR": str(CACHE),
            # Without it, the cache is only used for what a lock file names, and a copy has none.
            "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE": "true",
            **os.environ,
        }


def _quiet(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would change the outcome, and with what keeps Terraform to its work."""
    kept = {name: value for name, value in environ.items() if not name.startswith(_NOT_PASSED_ON)}
    if not Path(kept.get("TF_CLI_CONFIG_FILE", "")).is_file():
        kept.pop("TF_CLI_CONFIG_FILE", None)  # Terraform would warn about it in every command
    return {**kept, "CHECKPOINT_DISABLE": "1", "TF_CLI_ARGS": "-no-color", "TF_IN_AUTOMATION": "1"}


def main(arguments: list[str]) -> int:
    """Run ``check``; a missing Terraform is an error in CI only."""
    if arguments != ["check"]:
        sys.stderr.write("usage: python -m tests.support.terraform check\n")
        return 2
    try:
        check()
    except TerraformUnavailableError as error:
        sys.stderr.write(f"infra/ not checked: {error}\n")
        return 1 if os.environ.get("CI") == "true" else 0
    except TerraformError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
