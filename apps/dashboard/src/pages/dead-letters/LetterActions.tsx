import { Checkbox, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import type { JobRef } from '../../routes/paths';
import { FixtureDownload } from './FixtureDownload';
import { closing } from './letter-actions';
import type { Letter } from './letter-queries';
import { wordOf } from './words';

const { letter: text } = deadLetters;

export function LetterActions({ letter }: { readonly letter: Letter }) {
  const { namespace, queue, id, erased } = letter;
  const job: JobRef = { namespace, queue, id };
  return (
    <Group gap="xs" role="group" aria-label={text.actions}>
      <RedriveOne job={job} blocked={erased === undefined ? null : text.erased} />
      <ActionButton action={closing('resolve', job)} />
      <ActionButton action={closing('discard', job)} />
      <FixtureDownload job={job} />
    </Group>
  );
}

function RedriveOne({ job, blocked }: { readonly job: JobRef; readonly blocked: string | null }) {
  const [force, setForce] = useState(false);
  const action: Action<undefined, unknown> = {
    label: text.redrive,
    says: () => (
      <Stack gap="sm">
        <span>{text.redriveSays(visible(job.id))}</span>
        <Checkbox label={text.force} checked={force} onChange={({ currentTarget }) => setForce(currentTarget.checked)} />
      </Stack>
    ),
    reason: 'needed',
    refused: ({ code }) => wordOf(text.conflict, code),
    run: ({ reason }) => read(api.POST('/v1/jobs/one/redrive', { params: { query: { ...job } }, body: { reason, force } })),
  };
  return <ActionButton action={action} variant="filled" blocked={blocked} />;
}
