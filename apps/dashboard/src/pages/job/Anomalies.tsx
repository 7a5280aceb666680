import { List, Stack, Text } from '@mantine/core';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { visible } from '../../text/format';
import { job as words } from '../../text/job';
import type { JobDetail } from './job-queries';

const { anomalies: text } = words;

/** Contradictions in words, each with what it may mean. */
export function Anomalies({ anomalies }: Pick<JobDetail, 'anomalies'>) {
  return (
    <Panel title={text.title}>
      <Stack gap="sm">
        <List spacing="sm" listStyleType="none">
          {anomalies.map(({ code, attempt, workers }) => (
            <List.Item key={`${code} ${String(attempt)}`}>
              <StatusText text={attempt === 0 ? text.ofJob : text.ofAttempt(String(attempt))} tone="warn" shape="triangle" title={code} />
              <Text size="sm">{text.code[code]}</Text>
              {workers !== undefined && workers.length > 0 && <Text size="sm">{text.workers(workers.map(({ id }) => visible(id)).join(', '))}</Text>}
            </List.Item>
          ))}
        </List>
        <Text size="sm" c="dimmed">
          {text.lead}
        </Text>
      </Stack>
    </Panel>
  );
}
