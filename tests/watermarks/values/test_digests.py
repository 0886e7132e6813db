"""Digests of files: they tell versions apart, they are the same in every run, and packing them loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks.table.wire import MAX_ITEM_BYTES
from scripts.helpers.watermarks.values.digests import MOST, SIZE, digest_of, pack, unpack

FILE = ("s3://landing/claims/a.json", 1_678_968_000_000_000, 10)


def digests() -> st.SearchStrategy[frozenset[bytes]]:
    return st.frozensets(st.binary(min_size=SIZE, max_size=SIZE), max_size=50)


def test_digest__is_the_same_in_every_process_and_version() -> None:
    """Another one here would mean that every file within the band is read again after an upgrade."""
    assert digest_of(*FILE).hex() == "aa71b60399efb8a0"
    assert len(digest_of(*FILE)) == SIZE


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(("s3://landing/claims/b.json", *FILE[1:]), id="path"),
        pytest.param((FILE[0], FILE[1] + 1_000, FILE[2]), id="a-millisecond-later"),
        pytest.param((*FILE[:2], 11), id="length"),
        pytest.param(("s3://landing2/claims/a.json", *FILE[1:]), id="bucket"),
        pytest.param(("file:/landing/claims/a.json", *FILE[1:]), id="file-system"),
    ],
)
def test_digest__tells_versions_apart(other: tuple[str, int, int]) -> None:
    assert digest_of(*other) != digest_of(*FILE)


@pytest.mark.parametrize("scheme", ["s3a", "s3n"])
def test_digest__hadoops_names_for_s3_make_no_difference(scheme: str) -> None:
    assert digest_of(FILE[0].replace("s3:", f"{scheme}:"), *FILE[1:]) == digest_of(*FILE)


def test_digest__parts_do_not_run_into_each_other() -> None:
    assert digest_of("a", 11, 1) != digest_of("a", 1, 11)
    assert digest_of("a1", 1, 1) != digest_of("a", 11, 1)


@pytest.mark.parametrize(
    "name", ["ü€ 日本", "a\ud800b", "a\0b", "%20"], ids=["unicode", "no-unicode", "zero", "percent"]
)
def test_digest__of_any_name(name: str) -> None:
    assert len(digest_of(f"file:/landing/{name}", 1, 1)) == SIZE


@given(digests())
def test_pack__and_unpack_again(some: frozenset[bytes]) -> None:
    packed = pack(some)

    assert unpack(packed) == some
    assert len(packed) == SIZE * len(some)
    assert packed == pack(sorted(some, reverse=True))


@pytest.mark.parametrize("length", [1, SIZE - 1, SIZE + 1])
def test_unpack__refuses_what_was_cut_off(length: int) -> None:
    with pytest.raises(ValueError, match=f"has {length} bytes, which are no whole digests of {SIZE}"):
        unpack(b"x" * length)


def test_most__leaves_room_for_the_keys() -> None:
    longest_name = 255 * 4
    assert MOST * SIZE + 3 * longest_name < MAX_ITEM_BYTES
