"""The package's exceptions: one base, their facts as attributes, fit to travel between processes."""

import inspect
import pickle

import pytest

import scripts.helpers.watermarks as package
from scripts.helpers.watermarks import errors

EVERY_ERROR = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, Exception)]


@pytest.mark.parametrize("error", EVERY_ERROR, ids=lambda error: error.__name__)
def test_error__public_and_under_one_base(error: type[Exception]) -> None:
    assert issubclass(error, errors.WatermarkError)
    assert error.__name__.endswith("Error")
    assert error.__doc__
    assert getattr(package, error.__name__) is error
    assert error.__name__ in package.__all__


@pytest.mark.parametrize("error", EVERY_ERROR, ids=lambda error: error.__name__)
def test_error__survives_pickling_with_its_facts(error: type[errors.WatermarkError]) -> None:
    raised = error("Job 'repairs' is held.", job_id="repairs", holder="jr_1")

    received = pickle.loads(pickle.dumps(raised))

    assert type(received) is error
    assert str(received) == str(raised) == "Job 'repairs' is held."
    assert vars(received) == {"job_id": "repairs", "holder": "jr_1"}


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InvalidArgumentError, ValueError),
        (errors.UnsupportedValueError, ValueError),
        (errors.UnknownNameError, KeyError),
        (errors.WatermarkNotFoundError, LookupError),
        (errors.NotPicklableError, TypeError),
    ],
    ids=lambda error: error.__name__,
)
def test_error__is_also_the_builtin_one_expects(error: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(error, builtin)
