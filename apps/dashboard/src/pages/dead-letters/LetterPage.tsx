import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Problem } from '../../api/problem';
import { Name } from '../../kit/Name';
import { Page } from '../../kit/Page';
import { QueryView } from '../../kit/QueryView';
import { pathTo, type JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import { letterQuery } from './letter-queries';
import { Draft } from './Draft';
import { GoneLetter } from './GoneLetter';
import { LetterActions } from './LetterActions';
import { LetterCauses } from './LetterCauses';
import { LetterHistory } from './LetterHistory';
import { LetterStanding } from './LetterStanding';
import { PayloadPanel, type TypedDraft } from './PayloadPanel';

const { letter: text } = deadLetters;

/** One dead letter: how it stands, what can be done, why it failed, and its payload. */
export function LetterPage({ job }: { readonly job: JobRef }) {
  const found = useQuery(letterQuery(job));
  // What was there is shown no longer once it has left.
  const gone = found.error instanceof Problem && found.error.code === 'dead_letter_unknown';
  const letter = gone ? undefined : found.data;
  const [draft, setDraft] = useState<TypedDraft | null>(null);
  const payload = letter?.payload;
  // Of a payload that was erased nothing is left lying about either.
  const left = draft !== null && letter?.erased === undefined && (gone || (payload !== undefined && !('ref' in payload) && payload.hash !== draft.hash)) ? draft.typed : null;
  const links = (
    <Group gap="md">
      {letter?.pattern !== undefined && (
        <Anchor component={Link} to={pathTo.pattern(letter.pattern, job)} size="sm">
          {text.toPattern}
        </Anchor>
      )}
      <Anchor component={Link} to={pathTo.job(job)} size="sm">
        {text.toJob}
      </Anchor>
      <Anchor component={Link} to={pathTo.deadLetters({ namespace: job.namespace, queue: job.queue })} size="sm">
        {text.toList}
      </Anchor>
    </Group>
  );
  return (
    <Page
      title={text.title(visible(job.id))}
      heading={
        <>
          {text.heading} <Name text={job.id} />
        </>
      }
      lead={links}
      turn={gone ? 'gone' : 'there'}
    >
      {gone ? (
        <GoneLetter job={job} />
      ) : (
        <QueryView query={found}>
          {(one) => (
            <>
              <LetterStanding letter={one} actions={<LetterActions letter={one} />} />
              <LetterCauses letter={one} />
              <PayloadPanel letter={one} onDraft={setDraft} />
              <LetterHistory letter={one} />
            </>
          )}
        </QueryView>
      )}
      {left !== null && <Draft typed={left} old={!gone} />}
    </Page>
  );
}
