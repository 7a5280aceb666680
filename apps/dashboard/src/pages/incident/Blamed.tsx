import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Facts } from '../../kit/Facts';
import { JobLink } from '../../kit/JobLink';
import { Name } from '../../kit/Name';
import { pathTo } from '../../routes/paths';
import { incident as words } from '../../text/incident';
import { jobIn } from './assessed';
import type { Run } from './incident-queries';

const { cause: text } = words;

/** What is to blame, with the way to it. */
export function Blamed({ run: { blamed, cause, queues }, namespace }: { readonly run: Run; readonly namespace: string | null }) {
  if (blamed === null) return null;
  const job = cause === 'poison_job' ? jobIn(blamed, queues) : null;
  const refused = cause === 'bad_revision' ? pathTo.incidents({ namespace: namespace ?? undefined, tab: 'refused' }) : null;
  return (
    <Facts
      facts={[
        [text.blamed, job === null ? <Name text={blamed} /> : <JobLink job={job} />],
        [
          text.service,
          refused === null ? null : (
            <Anchor component={Link} to={refused} size="sm">
              {text.refusedList}
            </Anchor>
          ),
        ],
      ]}
    />
  );
}
