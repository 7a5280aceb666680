import { Group, List, Text } from '@mantine/core';
import { JobLink } from '../../kit/JobLink';
import { JobStatus, type JobStatusWord } from '../../kit/JobStatus';
import { Panel } from '../../kit/Panel';
import { common } from '../../text/common';
import { count, visible } from '../../text/format';
import { postmortem } from '../../text/postmortem';
import type { Postmortem } from './postmortem-query';

const { jobs: text } = postmortem;
const isStatus = (word: string): word is JobStatusWord => Object.hasOwn(common.status, word);

/** What it did to jobs, and some of them. */
export function Jobs({ postmortem: { jobs } }: { readonly postmortem: Postmortem }) {
  const statuses = Object.entries(jobs.byStatus);
  return (
    <Panel title={text.title} aside={<Text size="sm">{text.waiting(count(jobs.waiting))}</Text>}>
      {statuses.length === 0 ? (
        <Text size="sm">{text.none}</Text>
      ) : (
        <Group gap="md">
          {statuses.map(([status, many]) => (
            <span key={status}>
              <Text span fw={600} size="sm">
                {count(many)}
              </Text>{' '}
              {isStatus(status) ? <JobStatus status={status} /> : visible(status)}
            </span>
          ))}
        </Group>
      )}
      {jobs.examples.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            {text.examples}
          </Text>
          <List size="sm">
            {jobs.examples.map(({ namespace, queue, id, status }) => (
              <List.Item key={`${namespace}\0${queue}\0${id}`}>
                <JobLink job={{ namespace, queue, id }} /> {isStatus(status) ? <JobStatus status={status} /> : visible(status)}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Panel>
  );
}
