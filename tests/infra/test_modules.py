"""What holds for every configuration under ``infra/``: its own tests pass, its README names its inputs and outputs."""

import re
from pathlib import Path

import pytest

from tests.support.terraform import INFRA, init, terraform

TESTED = sorted(tests.parent.relative_to(INFRA) for tests in INFRA.glob("*/*/tests"))
CONFIGURATIONS = sorted(file.parent for file in INFRA.rglob("variables.tf") if ".terraform" not in file.parts)


def test_modules__have_tests_each() -> None:
    assert {module.relative_to(INFRA) for module in INFRA.glob("modules/*")} <= set(TESTED)


@pytest.mark.parametrize("folder", TESTED, ids=str)
def test_module__passes_its_own_tests(infra: Path, folder: Path) -> None:
    init(infra / folder)

    result = terraform(infra / folder, "test", expected=(0, 1))

    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"Success! [1-9][0-9]* passed, 0 failed", result.stdout)


@pytest.mark.parametrize("folder", CONFIGURATIONS, ids=lambda f: str(f.relative_to(INFRA.parent)))
def test_readme__names_every_input_and_output(folder: Path) -> None:
    configuration = (folder / "variables.tf").read_text() + (folder / "outputs.tf").read_text()
    declared = re.findall(r'^(?:variable|output) "(\w+)"', configuration, re.MULTILINE)

    _, inputs_and_outputs = (folder / "README.md").read_text().split("## Inputs")
    documented = re.findall(r"^\| `(\w+)` \|", inputs_and_outputs, re.MULTILINE)

    assert documented == declared


@pytest.mark.parametrize("folder", CONFIGURATIONS, ids=lambda f: str(f.relative_to(INFRA.parent)))
def test_inputs_and_outputs__are_described(folder: Path) -> None:
    for name in ("variables.tf", "outputs.tf"):
        for block in re.split(r"^(?=variable|output)", (folder / name).read_text(), flags=re.MULTILINE)[1:]:
            assert re.search(r'^  description = ".*\."$', block, re.MULTILINE), block.splitlines()[0]
