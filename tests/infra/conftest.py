"""One copy of ``infra/`` for all of its tests, with what the example looks for beside it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.embedded import moto_server
from tests.support.applied import ON_AN_EMULATOR, WHEEL, Applied, apply
from tests.support.skipping import skip_or_fail
from tests.support.terraform import PROJECT, TerraformUnavailableError, copy_infra, init


@pytest.fixture(scope="session")
def infra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy, its root configuration initialised; ``scripts/jobs`` and ``dist`` lie where the repository has them."""
    project = tmp_path_factory.mktemp("terraform")
    folder = copy_infra(project / "infra")
    shutil.copytree(PROJECT / "scripts" / "jobs", project / "scripts" / "jobs")
    (project / "dist").mkdir()
    (project / "dist" / WHEEL).write_bytes(b"a wheel")
    try:
        init(folder)
    except TerraformUnavailableError as error:
        skip_or_fail(str(error))
    return folder


@pytest.fixture(scope="module")
def endpoint_url() -> Iterator[str]:
    """A server of its own: what is created has its real name, which other tests may use too."""
    with moto_server() as url:
        yield url


@pytest.fixture(scope="session")
def example(infra: Path) -> Path:
    """``infra/examples/complete``, initialised."""
    folder = infra / "examples" / "complete"
    init(folder)
    return folder


@pytest.fixture(scope="session")
def complete(example: Path) -> Iterator[Applied]:
    """The example applied as it is, once for all tests of it."""
    with moto_server() as url:
        yield apply(example, url, *ON_AN_EMULATOR)
