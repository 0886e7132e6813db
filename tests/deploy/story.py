"""The life of a job on a platform: a full load, a delta, a replay and a rewind, the target looked at after each."""

import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from tests.deploy.platforms import DeployError, Glue

JOBS = Path(__file__).parents[2] / "scripts" / "jobs"
SCRIPT = "repairs_by_last_modified.py"
FULL, DELTA = 1_000, 100

OPERATE = """
import json, sys
from scripts.helpers.watermarks import Watermarks
changed = Watermarks(table_name="glue-watermarks").rewind(sys.argv[1], sys.argv[2], reason="deploy-check")
print(json.dumps(changed.batch_ids))
"""
LOOK = """
import json, sys
import scripts.helpers.watermarks as package
runs = package.Watermarks(table_name="glue-watermarks").history(sys.argv[1])
print(json.dumps({"from": package.__file__, "runs": [[run["runId"], run["status"], run["batchId"]] for run in runs]}))
"""


@dataclass(frozen=True)
class Story:
    """One job on one platform, with a source that grows.

    Attributes:
        glue: the platform.
        spark: another Spark, which makes the source and reads the target.
    """

    glue: Glue
    spark: SparkSession

    def tell(self) -> str:
        """Run the job again and again.

        Returns:
            What happened, in short.

        Raises:
            DeployError: something was not as it should be.
        """
        self._copy_script()
        self._refuse_missing_argument()
        full, delta, replay, again = (f"jr_{secrets.token_hex(32)}" for _ in range(4))

        self._arrive(0, FULL)
        self._load(full)
        self._expect("full load", {1: range(FULL)})

        self._arrive(FULL, FULL + DELTA)
        self._load(delta)
        self._expect("delta", {1: range(FULL), 2: range(FULL, FULL + DELTA)})

        self._load(replay, option="job-bookmark-pause", between=(full, delta))
        self._expect("replay", {1: range(FULL), 2: range(FULL, FULL + DELTA)})
        self._expect_ids("what was replayed", self._ids(self._target / f"_{replay}"), range(FULL, FULL + DELTA))

        self._rewind(full)
        self._load(again)
        self._expect("rewind", {1: range(FULL), 3: range(FULL, FULL + DELTA)})

        self._expect_runs([(again, 3), (delta, 2), (full, 1)])
        return f"full load {FULL:,} rows, delta {DELTA}, replay {DELTA}, rewind {DELTA}"

    @property
    def _script(self) -> Path:
        return self.glue.folder / "job" / SCRIPT

    @property
    def _target(self) -> Path:
        return self.glue.folder / "target"

    def _copy_script(self) -> None:
        self._script.parent.mkdir()
        shutil.copy(JOBS / SCRIPT, self._script)

    def _refuse_missing_argument(self) -> None:
        """See that it is Glue's own parser that is asked, and that the script stops there."""
        said = self.glue.run(str(self._script), "--JOB_NAME", self.glue.platform.name, check=False)
        if "awsglue.utils.GlueArgumentError: the following arguments are required: --source, --target" not in said:
            raise DeployError(f"a job without --source and --target should have been refused by Glue's parser:\n{said}")

    def _arrive(self, first: int, last: int) -> None:
        """Add repairs to the source, each a second after the one before."""
        columns = "id AS repair_id, timestamp_seconds(1700000000 + id) AS last_modified"
        self.spark.sql(f"SELECT {columns} FROM range({first}, {last})").write.mode("append").parquet(
            str(self.glue.folder / "source")
        )

    def _load(self, run_id: str, option: str = "job-bookmark-enable", between: tuple[str, str] | None = None) -> None:
        """Run the job with the arguments that Glue gives, in Glue's order: its own, then those of the job."""
        bookmarks = {"job-bookmark-option": option}
        if between is not None:
            bookmarks |= {"job-bookmark-from": between[0], "job-bookmark-to": between[1]}
        self.glue.submit(
            self._script,
            {
                "enable-metrics": "true",
                "enable-continuous-cloudwatch-log": "true",
                "enable-job-insights": "false",
                "job-language": "python",
                "TempDir": str(self.glue.folder / "temporary"),
                **bookmarks,
                "JOB_ID": f"j_{secrets.token_hex(32)}",
                "JOB_RUN_ID": run_id,
                "JOB_NAME": self.glue.platform.name,
                "source": str(self.glue.folder / "source"),
                "target": str(self._target),
            },
        )

    def _rewind(self, run_id: str) -> None:
        """Rewind as an operator does, with the package as it was installed, and drop the batches that it names."""
        batches = json.loads(self.glue.run("-c", OPERATE, self.glue.platform.name, run_id))
        if batches != [2]:
            raise DeployError(f"the rewind named the batches {batches}, not [2]")
        for batch in batches:
            shutil.rmtree(self._target / f"batch_id={batch}")

    def _expect(self, step: str, batches: dict[int, range]) -> None:
        """See that the target has these repairs in these batches, each once, and no others."""
        found = {int(path.name.removeprefix("batch_id=")): path for path in self._target.glob("batch_id=*")}
        if set(found) != set(batches):
            raise DeployError(f"{step}: the target has the batches {sorted(found)}, not {sorted(batches)}")
        for batch, ids in batches.items():
            self._expect_ids(f"{step}, batch {batch}", self._ids(found[batch]), ids)

    def _expect_ids(self, where: str, found: list[int], wanted: range) -> None:
        if found != list(wanted):
            missing, more = len(set(wanted) - set(found)), len(found) - len(set(found) & set(wanted))
            raise DeployError(f"{where}: {missing} repairs are missing, {more} are too many")

    def _ids(self, folder: Path) -> list[int]:
        return sorted(row.repair_id for row in self.spark.read.parquet(str(folder)).select("repair_id").collect())

    def _expect_runs(self, wanted: list[tuple[str, int]]) -> None:
        """See what the table has on record, and that the package is the one that was built."""
        told = json.loads(self.glue.run("-c", LOOK, self.glue.platform.name))
        runs = [[run_id, "SUCCEEDED", batch] for run_id, batch in wanted]
        if told["runs"] != runs:
            raise DeployError(f"the table has the runs {told['runs']}, not {runs}")
        home = self.glue.package.zip if self.glue.platform.zipped else self.glue.environment
        if not Path(told["from"]).is_relative_to(home):
            raise DeployError(f"the package was imported from {told['from']}, not from {home}")
