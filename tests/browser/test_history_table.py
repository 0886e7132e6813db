"""The history table: sorted, filtered, paged, by mouse and by keyboard, also with ten thousand runs."""

from datetime import timedelta
from typing import Any

import pytest

from tests.browser.conftest import Open, Opened
from tests.support.stories import START, long_story

MANY = 10_000


@pytest.fixture
def thirty(open_report: Open) -> Opened:
    opened = open_report(long_story(30, failing=0.12), generated_at=START + timedelta(hours=31))
    opened.drawn()
    return opened


def head(opened: Opened, name: str) -> Any:
    return opened.page.locator("#job-0 .history thead th", has_text=name)


def column(opened: Opened, place: int) -> list[str]:
    return [row[place] for row in opened.rows()]


def test_table__newest_first(thirty: Opened) -> None:
    recorded = column(thirty, 0)

    assert len(recorded) == 31
    assert recorded == sorted(recorded, reverse=True)
    assert head(thirty, "Recorded").get_attribute("aria-sort") == "descending"


def test_sort__by_mouse_and_by_keyboard(thirty: Opened) -> None:
    head(thirty, "Rows").locator("button").click()

    rows = [int(each.replace(",", "")) for each in column(thirty, 5) if each != "–"]
    assert rows == sorted(rows, reverse=True)
    assert column(thirty, 5)[-3:] == ["–"] * 3
    assert head(thirty, "Rows").get_attribute("aria-sort") == "descending"
    assert head(thirty, "Recorded").get_attribute("aria-sort") == "none"

    head(thirty, "Rows").locator("button").focus()
    thirty.page.keyboard.press("Enter")

    assert [int(each.replace(",", "")) for each in column(thirty, 5) if each != "–"] == sorted(rows)
    assert column(thirty, 5)[-3:] == ["–"] * 3
    assert head(thirty, "Rows").get_attribute("aria-sort") == "ascending"


def test_filter__by_status(thirty: Opened) -> None:
    thirty.page.get_by_label("Status").select_option("FAILED")

    assert column(thirty, 1) == ["failed", "failed"]
    assert thirty.page.get_by_role("status").inner_text() == "2 of 31"

    thirty.page.get_by_label("Status").select_option(label="rewind")

    assert column(thirty, 1) == ["rewind"]
    thirty.page.get_by_label("Status").select_option(label="all")
    assert len(thirty.rows()) == 31


def test_filter__by_words_in_any_order(thirty: Opened) -> None:
    thirty.page.get_by_label("Find").fill("REPAIRS table_or")

    assert column(thirty, 1) == ["failed", "failed"]

    thirty.page.get_by_label("Find").fill("exchange operator/ada")

    assert column(thirty, 1) == ["rewind"]

    thirty.page.get_by_label("Find").fill("nothing like it")

    assert column(thirty, 0) == ["Nothing fits. Take something out of the filter."]
    assert thirty.page.get_by_role("status").inner_text() == "none of 31"


def test_zone__utc_and_back(thirty: Opened) -> None:
    local = column(thirty, 0)[-1]
    axis = thirty.traces()[0]["x"][0]
    mark = thirty.page.locator("#job-0 .mark").first.inner_text()

    thirty.page.get_by_label("UTC").check()

    assert local.startswith("2026-03-02 08:00")
    assert column(thirty, 0)[-1] == local.replace(" 08:", " 07:")
    assert axis.startswith("2026-03-02T08:00")
    assert thirty.traces()[0]["x"][0] == axis.replace("T08:", "T07:")
    assert thirty.page.locator("#job-0 .mark").first.inner_text() != mark
    # The filter looks at what is shown.
    thirty.page.get_by_label("Find").fill(column(thirty, 0)[-1])
    assert len(thirty.rows()) == 1

    thirty.page.get_by_label("Local (Europe/Berlin)").check()
    thirty.page.get_by_label("Find").fill(local)

    assert column(thirty, 0) == [local]


def test_names__every_control_has_one(thirty: Opened) -> None:
    controls = thirty.page.locator("button, input, select, [role=region], [role=img]")
    unnamed = controls.evaluate_all(
        """found => found.filter(each => !(each.ariaLabel || each.innerText?.trim() || each.labels?.length))
                         .map(each => each.outerHTML)"""
    )

    assert unnamed == []
    assert "30 runs, 2 failed, 1 operator's change" in thirty.page.locator(".chart").get_attribute("aria-label")


def test_many__ten_thousand_runs_are_drawn_paged_and_found(open_report: Open) -> None:
    story = long_story(MANY)
    opened = open_report(story, generated_at=START + timedelta(hours=MANY + 1))
    section = opened.drawn()

    assert opened.page.locator("*").count() < 6_000
    assert opened.page.eval_on_selector("#job-0 .chart", "plot => plot.data[0].x.length") == MANY + 2
    assert section.locator("path.js-line").count() >= 6
    assert opened.page.get_by_role("status").inner_text() == "1–50 of 10,001"

    opened.page.get_by_role("button", name="Last page").click()

    assert opened.page.get_by_role("status").inner_text() == "10,001–10,001 of 10,001"
    assert len(opened.rows()) == 1
    assert opened.page.get_by_role("button", name="Next page").get_attribute("aria-disabled") == "true"
    opened.page.keyboard.press("Enter")
    assert opened.page.get_by_role("status").inner_text() == "10,001–10,001 of 10,001"

    opened.page.get_by_role("button", name="Previous page").click()
    wanted = story.runs[4321]["runId"]
    opened.page.get_by_label("Find").fill(wanted)

    assert [row[2] for row in opened.rows()] == [wanted]

    opened.page.get_by_label("Find").fill("")
    head(opened, "Duration").locator("button").click()
    assert len(opened.rows()) == 50
