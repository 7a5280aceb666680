import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { job } from '../../text/job';

export default function JobPage() {
  return (
    <Page title={job.title}>
      <Empty />
    </Page>
  );
}
