"""One copy of ``infra/`` for all of its tests, and its example applied once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.embedded import moto_server
from tests.support.applied import ON_AN_EMULATOR, Applied, apply
from tests.support.skipping import skip_or_fail
from tests.support.terraform import TerraformUnavailableError, copy_infra, init


@pytest.fixture(scope="session")
def infra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy, its root configuration initialised."""
    folder = copy_infra(tmp_path_factory.mktemp("terraform") / "infra")
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
