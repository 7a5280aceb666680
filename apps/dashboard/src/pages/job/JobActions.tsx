import { Anchor, Group } from '@mantine/core';
import { Link } from 'react-router';
import { ActionButton } from '../../kit/ActionButton';
import { pathTo } from '../../routes/paths';
import { actions } from '../../text/job-actions';
import { EraseButton } from './EraseButton';
import { callsOf, mayPatch, type JobCall } from './calls';
import { simpleAction } from '../../kit/job-actions';
import type { JobDetail } from './job-queries';
import { LimitsButton } from './LimitsButton';
import { RedriveButton } from '../../kit/RedriveButton';

/** What can be done with it as it stands. `quiet`: something else is likelier to be wanted. */
export function JobActions({ job, quiet }: { readonly job: JobDetail; readonly quiet: boolean }) {
  const calls = callsOf(job);
  return (
    <Group gap="xs" role="group" aria-label={actions.label}>
      {calls.map((call, i) => (
        <CallButton key={call} call={call} job={job} first={!quiet && i === 0 && call !== 'erase'} />
      ))}
      {mayPatch(job) && (
        <Anchor component={Link} to={pathTo.deadLetter(job)} size="sm">
          {actions.patch}
        </Anchor>
      )}
    </Group>
  );
}

interface CallProps {
  readonly call: JobCall;
  readonly job: JobDetail;
  readonly first: boolean;
}

function CallButton({ call, job, first }: CallProps) {
  switch (call) {
    case 'redrive':
      return <RedriveButton job={job} first={first} />;
    case 'limits':
      return <LimitsButton job={job} />;
    case 'erase':
      return <EraseButton job={job} />;
    default:
      return <ActionButton action={simpleAction(call, job)} variant={first ? 'filled' : 'default'} />;
  }
}
