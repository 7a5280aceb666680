import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { overview } from '../../text/overview';

export default function OverviewPage() {
  return (
    <Page title={overview.title}>
      <Empty />
    </Page>
  );
}
