import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../api/client';
import type { JobRef } from '../routes/paths';
import { visible } from '../text/format';
import { actions } from '../text/job-actions';
import { ActionButton } from './ActionButton';
import type { Action } from './ActionDialog';
import { conflictWord, refOf } from './job-actions';

const { redrive: text } = actions;

interface Props {
  readonly job: JobRef;
  /** It is what is likeliest to be wanted here. */
  readonly first: boolean;
  /** Why it cannot be done; null: it can. */
  readonly blocked?: string | null;
}

/** One job that is dead, round again as it is. */
export function RedriveButton({ job, first, blocked = null }: Props) {
  const [force, setForce] = useState(false);
  const action: Action<undefined, unknown> = {
    label: text.label,
    says: () => (
      <Stack gap="sm">
        <span>{text.says(visible(job.id))}</span>
        <Checkbox label={text.force} checked={force} onChange={({ currentTarget }) => setForce(currentTarget.checked)} />
      </Stack>
    ),
    reason: 'needed',
    refused: conflictWord,
    run: ({ reason }) => read(api.POST('/v1/jobs/one/redrive', { params: { query: refOf(job) }, body: { reason, force } })),
  };
  return <ActionButton action={action} variant={first ? 'filled' : 'default'} blocked={blocked} />;
}
