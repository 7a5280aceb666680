import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { incidents } from '../../text/incidents';

export default function IncidentsPage() {
  return (
    <Page title={incidents.title}>
      <Empty />
    </Page>
  );
}
