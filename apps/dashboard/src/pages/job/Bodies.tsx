import { Stack, Text } from '@mantine/core';
import { BodyFold } from '../../kit/BodyFold';
import { Panel } from '../../kit/Panel';
import { job as words } from '../../text/job';
import type { JobDetail } from './job-queries';

const { bodies: text } = words;

/** What it ran with. */
export function Bodies({ job }: { readonly job: JobDetail }) {
  const snapshots = job.attempts.flatMap(({ attempt, snapshot }) => (snapshot === undefined ? [] : [{ attempt, snapshot }]));
  const none = job.payload === undefined && snapshots.length === 0;
  return (
    <Panel title={text.title}>
      {none ? (
        <Text size="sm" c="dimmed">
          {job.erased === undefined ? text.none : text.erased}
        </Text>
      ) : (
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {job.erased === undefined ? text.lead : text.erased}
          </Text>
          {job.payload !== undefined && (
            <BodyFold body={job.payload} job={job} show={text.showPayload} hide={text.hidePayload} />
          )}
          {snapshots.map(({ attempt, snapshot }) => (
            <BodyFold key={attempt} body={snapshot} job={job} show={text.showSnapshot(String(attempt))} hide={text.hideSnapshot(String(attempt))} />
          ))}
        </Stack>
      )}
    </Panel>
  );
}
