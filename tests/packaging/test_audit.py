"""Known vulnerabilities: found, not found, or not answered, and never mistaken for one another."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.support import audit as auditing
from tests.support.audit import Report, audit, core_dependencies, read_report

FIXED = {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.26.5"}]}
ADVISORY = {
    "id": "GHSA-q2q7-5pp4-w6pg",
    "summary": "made up by a test",
    "published": "2021-05-28T00:00:00Z",
    "affected": [{"package": {"name": "urllib3", "ecosystem": "PyPI"}, "ranges": [FIXED]}],
}


@pytest.fixture
def service() -> Iterator[str]:
    """An advisory service on this machine, which knows one vulnerability, of urllib3."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps({"vulns": [ADVISORY]} if asked["package"]["name"] == "urllib3" else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


def test_core_dependencies__what_the_package_needs_and_what_that_brings() -> None:
    packages = core_dependencies()

    assert {"boto3", "pynamodb", "botocore", "urllib3"} <= set(packages)
    assert not {"pyspark", "moto", "pip-audit", "glue-watermarks"} & set(packages)


def test_audit__vulnerability_is_found_and_named(service: str, tmp_path: Any) -> None:
    options = ["--vulnerability-service=osv", f"--osv-url={service}", f"--cache-dir={tmp_path}"]

    report = audit({"boto3": "1.28.0", "urllib3": "1.25.0"}, options=options)

    assert report == Report(found=("urllib3 1.25.0: GHSA-q2q7-5pp4-w6pg, mended in 1.26.5",))


def test_audit__nothing_is_known(service: str, tmp_path: Any) -> None:
    options = ["--vulnerability-service=osv", f"--osv-url={service}", f"--cache-dir={tmp_path}"]

    assert audit({"boto3": "1.28.0"}, options=options) == Report()


def test_audit__nobody_answers(tmp_path: Any) -> None:
    options = ["--vulnerability-service=osv", "--osv-url=http://127.0.0.1:9", f"--cache-dir={tmp_path}"]

    report = audit({"boto3": "1.28.0"}, options=options)

    assert report.found == ()
    assert report.unanswered.startswith("the advisory service cannot be reached: ")


def test_audit__answer_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "AUDIT_SECONDS", 0.01)

    assert audit({"boto3": "1.28.0"}).unanswered == "the advisory service took longer than 0.01 s"


def test_read_report__package_that_the_service_does_not_know() -> None:
    """As with a mirror of packages that has no advisories: pip-audit ends with 0 and "No known vulnerabilities"."""
    known = {"name": "urllib3", "version": "1.25.0", "vulns": [{"id": "PYSEC-1", "fix_versions": []}]}
    output = json.dumps({"dependencies": [{"name": "boto3", "skip_reason": "not found"}, known]})

    report = read_report(output, "No known vulnerabilities found")

    assert report.found == ("urllib3 1.25.0: PYSEC-1, mended in no version yet",)
    assert report.unanswered == "the advisory service knows nothing of boto3"


@pytest.mark.parametrize(
    ("report", "code", "told"),
    [
        pytest.param(Report(), 0, "No known vulnerabilities in", id="clean"),
        pytest.param(Report(found=("urllib3 …",)), 1, "urllib3 …", id="vulnerable"),
        pytest.param(Report(unanswered="no answer"), 0, "dependencies not audited: no answer", id="unanswered"),
        pytest.param(Report(("urllib3 …",), "no answer"), 1, "urllib3 …", id="vulnerable-and-unanswered"),
    ],
)
def test_check__only_a_vulnerability_is_an_error(
    report: Report, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(auditing, "audit", lambda _: report)

    assert auditing.main() == code
    said = capsys.readouterr()
    assert told in said.out + said.err
    assert ("No known" in said.out) == (report == Report())
