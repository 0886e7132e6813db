"""Nothing in a table can act on the page that shows it, and the page reaches nothing outside."""

from tests.browser.conftest import Open
from tests.support.stories import HOSTILE, hostile_story, long_story


def test_hostile_names__are_shown_as_they_are(open_report: Open) -> None:
    opened = open_report(*map(hostile_story, HOSTILE))

    for job, text in enumerate(HOSTILE):
        section = opened.drawn(job)
        assert section.locator("h2").text_content() == text
        said = opened.page.eval_on_selector_all(
            f"#job-{job} .history td bdi", "found => found.map(each => each.textContent)"
        )
        assert {text, f"{text} again", f"reset by {text}: {text}"} <= set(said)
    assert opened.page.locator("main script, main img, main b, main iframe").count() == 0
    assert opened.page.locator("script").count() == 3


def test_hostile_names__in_charts_and_tooltips_too(open_report: Open) -> None:
    opened = open_report(*map(hostile_story, HOSTILE))

    for job, text in enumerate(HOSTILE):
        section = opened.drawn(job)
        section.locator(".chart").evaluate("plot => Plotly.Fx.hover(plot, [{ curveNumber: 0, pointNumber: 0 }], 'xy')")
        for place in (".annotation-text", ".hovertext"):
            seen = "".join(section.locator(place).all_text_contents())
            # A chart's text is one line: what breaks lines is a space there, and spaces may be of the other kind.
            assert "".join(text.split()) in "".join(seen.split()), place
    assert opened.page.locator(".main-svg a, .main-svg script, .main-svg image").count() == 0


def test_policy__no_script_can_be_added_and_nothing_fetched(open_report: Open) -> None:
    opened = open_report(long_story(3))
    opened.drawn()

    ran, fetched = opened.page.evaluate(
        """async () => {
          const script = document.createElement('script');
          script.textContent = 'window.ran = true';
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend', '<img src="x:y" onerror="window.ran = true">');
          const fetched = await fetch('http://127.0.0.1:9/').then(() => 'fetched', (error) => error.name);
          return [window.ran ?? false, fetched];
        }"""
    )

    assert (ran, fetched) == (False, "TypeError")
    refused = [each for each in opened.trouble if "Content Security Policy" in each]
    assert len(refused) >= 2
    assert not [each for each in opened.trouble if each.startswith("request: http")]
    opened.trouble.clear()


def test_many_jobs__drawn_when_they_come_into_view(open_report: Open) -> None:
    opened = open_report(*(long_story(10 + each, f"job-{each:02d}", seed=each) for each in range(50)))
    drawn = "plots => plots.filter(plot => plot.data).length"
    overview = opened.page.locator(".overview tbody tr")

    assert overview.count() == 50
    assert opened.page.eval_on_selector_all(".chart", drawn) < 5

    overview.nth(41).get_by_role("link", name="job-41").click()
    opened.page.locator("#job-41 .chart .main-svg").first.wait_for()

    assert opened.page.locator("#job-41 h2").is_visible()
    assert opened.page.eval_on_selector_all(".chart", drawn) < 12
    assert overview.nth(41).locator(".spark rect").count() == 51


def test_no_jobs__says_so(open_report: Open) -> None:
    opened = open_report()

    assert "There is no job in this table yet." in opened.page.locator("main").inner_text()
