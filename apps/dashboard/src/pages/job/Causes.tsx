import { Anchor, Group, List, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ErrorText } from '../../kit/ErrorText';
import { Panel } from '../../kit/Panel';
import { StatusText } from '../../kit/StatusText';
import { pathTo } from '../../routes/paths';
import { clockTime, utc, visible } from '../../text/format';
import { job as words } from '../../text/job';
import { chainOf, type ChainStep } from './chain';
import { END_LOOKS } from './AttemptFacts';
import { FixtureButton } from './FixtureButton';
import type { JobDetail } from './job-queries';

const { causes: text } = words;

/** How it came to where it is: the first cause at the top, what followed below. Left out where nothing has gone wrong. */
export function Causes({ job }: { readonly job: JobDetail }) {
  const steps = chainOf(job);
  if (steps.length === 0) return null;
  const first = steps.find((step) => step.error !== undefined);
  const dead = job.status === 'dead-lettered';
  return (
    <Panel title={job.status === 'succeeded' ? text.titleOfSuccess : text.title} aside={dead && <ToDeadLetter job={job} />}>
      <Stack gap="md">
        {first?.error === undefined ? (
          dead && <Text size="sm">{text.silent}</Text>
        ) : (
          <div>
            <Text size="sm" c="dimmed">
              {steps.length > 1 ? `${text.first} (${text.attempt(String(first.attempt))}). ${text.firstNote}` : text.attempt(String(first.attempt))}
            </Text>
            <ErrorText error={first.error} job={job} />
          </div>
        )}
        {(steps.length > 1 || first?.error === undefined) && (
          <div>
            {first?.error !== undefined && (
              <Text size="sm" c="dimmed">
                {text.chain}
              </Text>
            )}
            <List size="sm" type="ordered" spacing={4}>
              {steps.map((step) => (
                <List.Item key={step.key}>
                  <Step step={step} job={job} isFirst={step === first} />
                </List.Item>
              ))}
            </List>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

function Step({ step, job, isFirst }: { readonly step: ChainStep; readonly job: JobDetail; readonly isFirst: boolean }) {
  const { end, error, atMs } = step;
  return (
    <>
      <Group gap="xs" component="span">
        {atMs !== null && (
          <time dateTime={new Date(atMs).toISOString()} title={utc(atMs)}>
            {clockTime(atMs)}
          </time>
        )}
        {end === null ? <span>{step.text}</span> : <StatusText text={step.text} tone={END_LOOKS[end][0]} shape={END_LOOKS[end][1]} wraps />}
        {step.said !== undefined && <span>{`“${visible(step.said)}”`}</span>}
      </Group>
      {error !== undefined && !isFirst && <ErrorText error={error} job={job} small />}
    </>
  );
}

function ToDeadLetter({ job }: { readonly job: JobDetail }) {
  return (
    <Group gap="sm">
      <FixtureButton job={job} />
      <Anchor component={Link} to={pathTo.deadLetter(job)} size="sm">
        {text.pattern}
      </Anchor>
    </Group>
  );
}
