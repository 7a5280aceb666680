import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { jobs } from '../../text/jobs';

export default function JobsPage() {
  return (
    <Page title={jobs.title}>
      <Empty />
    </Page>
  );
}
