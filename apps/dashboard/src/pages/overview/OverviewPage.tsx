import { useQuery } from '@tanstack/react-query';
import { count } from '../../text/format';
import { Empty } from '../../kit/Empty';
import { Page } from '../../kit/Page';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { useNamespace } from '../../routes/namespace';
import { overview } from '../../text/overview';
import { queuesQuery } from './overview-query';
import { QueueTable } from './QueueTable';

export default function OverviewPage() {
  const queues = useQuery(queuesQuery(useNamespace()));
  return (
    <Page title={overview.title} lead={queues.data && overview.lead(count(queues.data.items.length))}>
      <Panel title={overview.queues.title} flush>
        <QueryView query={queues}>
          {({ items }) => (items.length === 0 ? <Empty title={overview.queues.none} text={overview.queues.noneText} /> : <QueueTable queues={items} />)}
        </QueryView>
      </Panel>
    </Page>
  );
}
