import { Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { visible } from '../../text/format';
import { actions } from '../../text/job-actions';
import { refOf } from './job-actions';
import type { JobDetail } from './job-queries';

const { redrive: text } = actions;

export function RedriveButton({ job, first }: { readonly job: JobDetail; readonly first: boolean }) {
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
    run: ({ reason }) => read(api.POST('/v1/jobs/one/redrive', { params: { query: refOf(job) }, body: { reason, force } })),
  };
  return <ActionButton action={action} variant={first ? 'filled' : 'default'} />;
}
