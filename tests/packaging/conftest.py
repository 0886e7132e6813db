"""What `make build` makes, built once for all tests of this folder."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.environments import ROOT
from tools.build import build


@dataclass(frozen=True)
class Built:
    """The three files of a build."""

    wheel: Path
    sdist: Path
    zip: Path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(*build(ROOT, tmp_path_factory.mktemp("dist")))
