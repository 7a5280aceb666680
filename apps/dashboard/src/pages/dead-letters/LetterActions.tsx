import { Group } from '@mantine/core';
import { ActionButton } from '../../kit/ActionButton';
import { simpleAction } from '../../kit/job-actions';
import { RedriveButton } from '../../kit/RedriveButton';
import type { JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { FixtureDownload } from './FixtureDownload';
import type { Letter } from './letter-queries';

const { letter: text } = deadLetters;

export function LetterActions({ letter }: { readonly letter: Letter }) {
  const { namespace, queue, id, erased } = letter;
  const job: JobRef = { namespace, queue, id };
  return (
    <Group gap="xs" role="group" aria-label={text.actions}>
      <RedriveButton job={job} first blocked={erased === undefined ? null : text.erased} />
      <ActionButton action={simpleAction('resolve', job)} />
      <ActionButton action={simpleAction('discard', job)} />
      <FixtureDownload job={job} />
    </Group>
  );
}
