import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { incident } from '../../text/incident';

export default function PostmortemPage() {
  return (
    <Page title={incident.title}>
      <Empty />
    </Page>
  );
}
