import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Problem } from '../../api/problem';
import { Empty } from '../../kit/Empty';
import { Name } from '../../kit/Name';
import { Page } from '../../kit/Page';
import { QueryView } from '../../kit/QueryView';
import { usePageQuery } from '../../routes/page-query';
import { pathTo, type JobRef } from '../../routes/paths';
import { visible } from '../../text/format';
import { job as words } from '../../text/job';
import { DEFAULT_NAMESPACE, useNamespace } from '../../routes/namespace';
import { jobQuery } from './job-queries';
import { JobView } from './JobView';
import { Retired } from './Retired';

export default function JobPage() {
  const namespace = useNamespace();
  const [query] = usePageQuery();
  const queue = query.get('queue') ?? '';
  const id = query.get('id') ?? '';
  if (queue === '' || id === '') {
    return (
      <Page title={words.heading}>
        <Empty title={words.noNames} text={words.noNamesText}>
          <ToList to={pathTo.jobs({ namespace, queue, id })} text={words.toList} />
        </Empty>
      </Page>
    );
  }
  // Another job is another page: nothing that was opened or typed there is meant for it.
  return <OneJob key={JSON.stringify([namespace, queue, id])} job={{ namespace, queue, id }} />;
}

function OneJob({ job }: { readonly job: JobRef }) {
  const found = useQuery(jobQuery(job));
  const code = found.error instanceof Problem ? found.error.code : null;
  const heading = (
    <>
      {words.heading} <Name text={job.id} />
    </>
  );
  const lead = (
    <Text size="sm" c="dimmed">
      <Anchor component={Link} to={pathTo.jobs({ namespace: job.namespace, queue: job.queue })} size="sm">
        <Name text={words.lead(visible(job.queue))} />
      </Anchor>
      {job.namespace !== DEFAULT_NAMESPACE && words.within(visible(job.namespace))}
    </Text>
  );
  return (
    <Page title={words.title(visible(job.id))} heading={heading} lead={lead}>
      {code === 'job_unknown' || code === 'queue_unknown' ? (
        <Empty title={words.unknown} text={words.unknownText}>
          <ToList to={pathTo.jobs({ namespace: job.namespace, id: job.id })} text={words.searchAll} />
        </Empty>
      ) : code === 'retired' && found.error instanceof Problem ? (
        <Retired problem={found.error} />
      ) : (
        <QueryView query={found} lines={10}>
          {(detail) => <JobView job={detail} />}
        </QueryView>
      )}
    </Page>
  );
}

function ToList({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <Anchor component={Link} to={to} size="sm">
      {text}
    </Anchor>
  );
}
