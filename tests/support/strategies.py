"""Made-up watermark values for property tests, and when two values are exactly the same."""

from datetime import date, datetime, timezone
from decimal import Decimal

from hypothesis import strategies as st

# Names that mean something to DynamoDB, to JSON pointers or to the package.
TRICKY_NAMES = ("S", "N", "M", "L", "B", "SS", "NULL", "BOOL", "/", "~", "~0", "~1", "a/b", "a.b", "0", "#", "#latest")


def texts(min_size: int = 0) -> st.SearchStrategy[str]:
    return st.text(min_size=min_size, max_size=20)


def names() -> st.SearchStrategy[str]:
    """Names of watermarks: what `create_watermark_item` takes as keyword arguments."""
    reserved = ("jobName", "runId", "watermarks", "job_id", "run_id")
    return st.text(min_size=1, max_size=10).filter(
        lambda name: bool(name.strip()) and not name.startswith("#") and name not in reserved
    )


def scalars(*, empty: bool = True) -> st.SearchStrategy[object]:
    """Every kind of value that has no values inside; without empty text and bytes where they cannot be stored."""
    smallest = 0 if empty else 1
    return st.one_of(
        st.none(),
        st.booleans(),
        texts(smallest),
        st.binary(min_size=smallest, max_size=20),
        st.integers(),
        st.integers(-(10**60), 10**60),
        st.floats(allow_nan=False, allow_infinity=False),
        st.decimals(allow_nan=False, allow_infinity=False),
        st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9),
        st.dates(),
        st.builds(lambda moment, fold: moment.replace(fold=fold), st.datetimes(), st.integers(0, 1)),
        st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.timezones()),
    )


def values(*, empty: bool = True) -> st.SearchStrategy[object]:
    nested_names = st.one_of(st.text(min_size=1, max_size=10), st.sampled_from(TRICKY_NAMES))
    return st.recursive(
        scalars(empty=empty),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(nested_names, inner, max_size=4)),
        max_leaves=8,
    )


def named_values(*, empty: bool = True) -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(names(), values(empty=empty), max_size=5)


def exact(value: object) -> object:
    """A form in which values are equal only if they are exactly the same: type, sign of zero, digits, zone, fold.

    An aware datetime is the one thing that may change on its way: it comes back in UTC.
    """
    if isinstance(value, dict):
        return {name: exact(each) for name, each in value.items()}
    if isinstance(value, list):
        return [exact(each) for each in value]
    if isinstance(value, float):
        return "float", value.hex()
    if isinstance(value, Decimal):
        return "Decimal", value.as_tuple()
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            return "aware", value.astimezone(timezone.utc).isoformat()
        return "naive", value.isoformat(), value.fold
    if isinstance(value, date):
        return "date", value.isoformat()
    return type(value).__name__, value
