import type { Problem } from '../../api/problem';
import { Facts } from '../../kit/Facts';
import { JobStatus, type JobStatusWord } from '../../kit/JobStatus';
import { Panel } from '../../kit/Panel';
import { When } from '../../kit/When';
import { common } from '../../text/common';
import { job as words } from '../../text/job';

/** Below the retention line: all that can still be said. */
export function Retired({ problem }: { readonly problem: Problem }) {
  const summary = (problem.members['summary'] ?? {}) as { readonly status?: string; readonly attempt?: number; readonly since?: string };
  const { facts } = words.standing;
  return (
    <Panel title={words.retired}>
      <p>{words.retiredText}</p>
      <Facts
        facts={[
          [common.table.status, isStatus(summary.status) ? <JobStatus key="status" status={summary.status} /> : (summary.status ?? null)],
          [facts.attempt, summary.attempt ?? null],
          [facts.since, summary.since === undefined ? null : <When key="since" at={summary.since} as="utc" />],
        ]}
      />
    </Panel>
  );
}

const isStatus = (word: string | undefined): word is JobStatusWord => word !== undefined && Object.hasOwn(common.status, word);
