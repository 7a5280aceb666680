import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { pathTo, type JobRef } from '../routes/paths';
import { Name } from './Name';

/** To the page of a job, whatever its id is. */
export function JobLink({ job }: { readonly job: JobRef }) {
  return (
    <Anchor component={Link} to={pathTo.job(job)} size="sm" ff="monospace">
      <Name text={job.id} />
    </Anchor>
  );
}
