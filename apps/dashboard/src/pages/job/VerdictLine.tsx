import { Group, Text } from '@mantine/core';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { StatusText } from '../../kit/StatusText';
import { actions } from '../../text/job-actions';
import { visible } from '../../text/format';
import type { JobRef } from '../../routes/paths';
import type { Levels, Verdict } from './job-queries';
import { verdictState, verdictText, whatOf } from '../../kit/verdict-words';

const approve = (verdict: Verdict, { namespace, id }: JobRef): Action<undefined, unknown> => ({
  label: actions.approve.label,
  says: () => actions.approve.says(visible(id), verdictText(verdict)),
  reason: 'needed',
  run: ({ reason }) => read(api.POST('/v1/verdicts/approve', { params: { query: { namespace } }, body: { ids: [verdict.verdictId], reason } })),
});

interface Props {
  readonly verdict: Verdict;
  readonly job: JobRef;
  /** Of its queue now: what was said at observe can be approved once the queue asks. */
  readonly levels: Levels | null;
}

/** What Jobwarden would do of the attempt that runs, and the way to let it. */
export function VerdictLine({ verdict, job, levels }: Props) {
  const observing = verdict.action !== null && levels?.[verdict.action] === 'observe';
  const approvable = verdict.state === 'proposed' || verdict.state === 'expired' || verdict.state === 'shown';
  return (
    <Group gap="sm" align="center">
      <StatusText text={whatOf(verdict)} tone={verdict.state === 'proposed' ? 'busy' : 'calm'} shape={verdict.state === 'proposed' ? 'hand' : 'eye'} wraps />
      <Text size="sm" c="dimmed">
        {verdictState(verdict)}
      </Text>
      {approvable && <ActionButton action={approve(verdict, job)} variant={verdict.state === 'proposed' ? 'filled' : 'default'} blocked={observing ? actions.approve.observing : null} />}
    </Group>
  );
}
