"""The charts: really drawn, with failures and operators' changes on them, in every light and width."""

import re
from datetime import timedelta
from typing import Any

import pytest

from scripts.helpers.watermarks.report import JobStory
from tests.browser.conftest import Open, Opened
from tests.support.runs import commit_run, fail_run
from tests.support.stories import START, long_story, odd_stories
from tests.support.tables import Clock, new_table

AFTER_30 = START + timedelta(hours=31)


def titles(opened: Opened, job: int = 0) -> list[str]:
    return [each.strip() for each in opened.page.locator(f"#job-{job} .annotation-text").all_text_contents()]


def lines(section: Any) -> list[str]:
    found: list[str] = section.locator("path.js-line").evaluate_all(
        "paths => paths.map(path => path.getAttribute('d'))"
    )
    return found


def test_charts__of_a_job_that_really_ran(open_report: Open, moto_endpoint: str) -> None:
    clock = Clock()
    watermarks = new_table(moto_endpoint).watermarks(clock=clock)
    for number in range(1, 6):
        commit_run(watermarks, "payments", f"jr_{number}", up_to=1000 * number, rows_rejected=number)
        clock.turn(hours=1)
    fail_run(watermarks, "payments", "jr_6", up_to=6000)
    clock.turn(hours=1)
    watermarks.rewind("payments", "jr_3", reason="wrong exchange rate")
    clock.turn(hours=1)

    opened = open_report(JobStory.of(watermarks, "payments"), generated_at=clock.now)

    section = opened.drawn()
    assert section.locator("h2").inner_text() == "payments"
    assert section.locator(".mark").inner_text() == "3,000"
    assert titles(opened)[:2] == ["Mark: repairs · id", "Rows per run"]
    step, failed, changed = opened.traces()[:3]
    assert step["y"] == [1000, 2000, 3000, 4000, 5000, 5000, 3000, 3000]
    assert step["line"]["shape"] == "hv"
    assert (len(failed["x"]), failed["y"], changed["y"]) == (1, [5000], [3000])
    assert "wrong exchange rate" in changed["hovertext"][0]
    assert [row[1] for row in opened.rows()] == ["rewind", "failed"] + ["succeeded"] * 5


def test_charts__have_real_lines_and_a_failure_in_each(open_report: Open) -> None:
    opened = open_report(long_story(30, failing=0.12), generated_at=AFTER_30)

    section = opened.drawn()
    assert [re.split(r"[\s\xa0]{2}", each)[0] for each in titles(opened)] == [
        "Marks",
        "Behind the clock",
        "Rows per run",
        "Duration",
    ]
    drawn = lines(section)
    assert len([each for each in drawn if each and len(each) > 40]) >= 4
    failed = [each for each in opened.traces() if each.get("marker", {}).get("symbol") == "x-thin"]
    assert {each["yaxis"] for each in failed} == {"y", "y2", "y3", "y4"}
    assert {len(each["x"]) for each in failed} == {2}
    legend = section.locator(".legend li").all_inner_texts()
    assert [each.strip() for each in legend[:2]] == ["orders", "parts"]
    assert any("failed run" in each for each in legend)
    assert any("rewind by an operator" in each for each in legend)


def test_charts__one_run_alone(open_report: Open) -> None:
    opened = open_report(long_story(1, failing=0), generated_at=START + timedelta(hours=2))

    section = opened.drawn()
    assert section.locator(".scatterlayer .point").count() >= 2
    assert len(opened.rows()) == 1


def test_charts__every_type_of_mark(open_report: Open) -> None:
    stories = odd_stories()
    opened = open_report(*stories, generated_at=START + timedelta(hours=13))

    *drawn, forgotten, never_ran = range(len(stories))
    for job in drawn:
        story = stories[job]
        section = opened.drawn(job)
        assert all(lines(section)), story.job_id
        first = opened.traces(job)[0]
        assert len(set(filter(None, first["y"]))) > 1, story.job_id
    opened.page.locator(f"#job-{forgotten}").scroll_into_view_if_needed()
    assert opened.page.locator(f"#job-{forgotten} .chart").count() == 0
    assert [row[1] for row in opened.rows(forgotten)] == ["forget"]
    assert "No run on record yet." in opened.page.locator(f"#job-{never_ran}").inner_text()
    facts = opened.page.locator("#job-1 .mark").inner_text()
    assert facts == "1,234,567,890,123,456,789,012,345,678,901,234.5611"


def test_lag__of_a_job_that_stopped_long_ago_is_not_cut_off(open_report: Open) -> None:
    opened = open_report(long_story(30, failing=0), generated_at=AFTER_30 + timedelta(days=40))
    opened.drawn()

    shown = opened.page.eval_on_selector("#job-0 .chart", "chart => chart._fullLayout.yaxis2.range[1]")
    lag = next(each for each in opened.traces() if each["yaxis"] == "y2")
    assert "40 d" in lag["hovertext"][-1]
    assert shown >= lag["y"][-1] > 39


def test_tooltip__says_who_and_why(open_report: Open) -> None:
    opened = open_report(long_story(30, failing=0), generated_at=AFTER_30)
    section = opened.drawn()

    marker = section.locator(".scatterlayer .point[d*='Z']").last
    places = section.locator(".chart").evaluate(
        """plot => {
          const trace = plot._fullData.findIndex((each) => each.marker && Array.isArray(each.marker.symbol));
          Plotly.Fx.hover(plot, [{ curveNumber: trace, pointNumber: 0 }], 'xy');
          return trace;
        }"""
    )

    assert places >= 0
    assert marker.count() == 1
    told = " ".join(section.locator(".hoverlayer .hovertext").all_text_contents())
    assert "rewind to" in told
    assert "wrong exchange rate" in told


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours__follow_the_viewers_scheme(open_report: Open, scheme: str) -> None:
    opened = open_report(long_story(5, failing=0), color_scheme=scheme)
    opened.drawn()

    def colours() -> tuple[str, str]:
        page = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        text = opened.page.evaluate("getComputedStyle(document.querySelector('.annotation-text')).fill")
        return page, text

    light, dark = ("rgb(246, 247, 249)", "rgb(27, 36, 48)"), ("rgb(13, 17, 22)", "rgb(230, 235, 241)")
    assert colours() == (light if scheme == "light" else dark)

    opened.page.emulate_media(color_scheme="dark" if scheme == "light" else "light")

    opened.page.wait_for_function(
        "colour => getComputedStyle(document.querySelector('.annotation-text')).fill === colour",
        arg=(dark if scheme == "light" else light)[1],
    )
    assert colours() == (dark if scheme == "light" else light)


@pytest.mark.parametrize("width", [320, 400, 768])
def test_narrow__nothing_sticks_out(open_report: Open, width: int) -> None:
    stories = [long_story(30), long_story(5, "a-job-with-a-very-long-name-" * 6)]
    opened = open_report(*stories, generated_at=AFTER_30, viewport={"width": width, "height": 800})
    opened.drawn(0)
    opened.drawn(1)

    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.page.locator("#job-0 .chart .main-svg").first.bounding_box()["width"] <= width


def test_print__draws_everything_in_light_colours_and_goes_back(open_report: Open) -> None:
    opened = open_report(*(long_story(20, f"job-{each}") for each in range(12)), color_scheme="dark")
    assert opened.page.locator(".chart .main-svg").count() < 12 * 3

    pdf = opened.page.pdf()

    assert pdf.startswith(b"%PDF")
    drawn = opened.page.eval_on_selector_all(".chart", "plots => plots.filter(plot => plot.data).length")
    assert drawn == 12
    assert opened.page.evaluate("document.documentElement.dataset.theme") is None
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 22)"
