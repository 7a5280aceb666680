import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { visible } from '../../text/format';
import { actions } from '../../text/job-actions';
import { refOf } from '../../kit/job-actions';
import type { JobDetail } from './job-queries';
import { retriesIn, timeoutMsIn } from './limits-fields';

const { limits: text } = actions;

export function LimitsButton({ job }: { readonly job: JobDetail }) {
  const [retries, setRetries] = useState('');
  const [timeout, setTimeout] = useState('');
  const maxRetries = retriesIn(retries);
  const timeoutMs = timeoutMsIn(timeout);
  const wrong = Number.isNaN(maxRetries) || Number.isNaN(timeoutMs);
  const action: Action<undefined, unknown> = {
    label: text.label,
    says: () => (
      <Stack gap="sm">
        <span>{text.says(visible(job.id))}</span>
        <TextInput
          label={text.maxRetries}
          inputMode="numeric"
          placeholder={job.maxRetries === undefined ? '' : String(job.maxRetries)}
          value={retries}
          onChange={({ currentTarget }) => setRetries(currentTarget.value)}
          error={Number.isNaN(maxRetries) ? text.range : null}
        />
        <TextInput
          label={text.timeout}
          inputMode="decimal"
          value={timeout}
          onChange={({ currentTarget }) => setTimeout(currentTarget.value)}
          error={Number.isNaN(timeoutMs) ? text.timeoutRange : null}
        />
      </Stack>
    ),
    ready: () => !wrong && (maxRetries !== null || timeoutMs !== null),
    reason: 'needed',
    run: ({ reason }) =>
      read(
        api.POST('/v1/jobs/one/limits', {
          params: { query: refOf(job) },
          body: { reason, force: false, ...(maxRetries !== null && { maxRetries }), ...(timeoutMs !== null && { timeoutMs }) },
        }),
      ),
  };
  return <ActionButton action={action} />;
}
