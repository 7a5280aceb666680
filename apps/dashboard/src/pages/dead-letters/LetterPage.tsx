import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Problem } from '../../api/problem';
import { Empty } from '../../kit/Empty';
import { Name } from '../../kit/Name';
import { Page } from '../../kit/Page';
import { QueryView } from '../../kit/QueryView';
import { pathTo, type JobRef } from '../../routes/paths';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import { letterQuery } from './letter-queries';
import { LetterActions } from './LetterActions';
import { LetterCauses } from './LetterCauses';
import { LetterHistory } from './LetterHistory';
import { LetterStanding } from './LetterStanding';
import { PayloadPanel } from './PayloadPanel';

const { letter: text } = deadLetters;

/** One dead letter: how it stands, what can be done, why it failed, and its payload. */
export function LetterPage({ job }: { readonly job: JobRef }) {
  const found = useQuery(letterQuery(job));
  // What was there is shown no longer once it has left.
  const gone = found.error instanceof Problem && found.error.code === 'dead_letter_unknown';
  const letter = gone ? undefined : found.data;
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
    >
      {gone ? (
        <Empty title={text.gone} text={text.goneText}>
          <Anchor component={Link} to={pathTo.job(job)} size="sm">
            {text.toJob}
          </Anchor>
        </Empty>
      ) : (
        <QueryView query={found}>
          {(one) => (
            <>
              <LetterStanding letter={one} actions={<LetterActions letter={one} />} />
              <LetterCauses letter={one} />
              <PayloadPanel letter={one} />
              <LetterHistory letter={one} />
            </>
          )}
        </QueryView>
      )}
    </Page>
  );
}
