import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { AddressTabs } from '../../kit/AddressTabs';
import { Page } from '../../kit/Page';
import { useNamespace } from '../../routes/namespace';
import { usePageQuery } from '../../routes/page-query';
import { visible } from '../../text/format';
import { stuck as text } from '../../text/stuck';
import { Now } from './Now';
import { RunButtons } from './RunButtons';
import { Runs } from './Runs';
import { Shadow } from './Shadow';
import { queueNamesQuery, type Where } from './stuck-queries';

export default function StuckPage() {
  const namespace = useNamespace();
  const [query, change] = usePageQuery();
  const queue = query.get('queue');
  const queues = useQuery(queueNamesQuery(namespace));
  const where: Where = { namespace, ...(queue !== null && queue !== '' && { queue }) };
  const names = (queues.data ?? []).map((found) => found.queue);
  const choices = where.queue === undefined || names.includes(where.queue) ? names : [...names, where.queue];
  return (
    <Page title={text.title} lead={text.lead} actions={<RunButtons where={where} />}>
      <NativeSelect
        size="xs"
        maw="20rem"
        label={text.queue}
        value={where.queue ?? ''}
        data={[{ value: '', label: text.allQueues }, ...choices.map((name) => ({ value: name, label: visible(name) }))]}
        onChange={({ currentTarget }) => change({ queue: currentTarget.value, next: null })}
      />
      <AddressTabs
        label={text.tabs.label}
        titles={text.tabs}
        tabs={[
          ['now', () => <Now where={where} levels={queues.data?.find((found) => found.queue === where.queue)?.levels ?? null} />],
          ['runs', () => <Runs where={where} />],
          ['shadow', () => <Shadow where={where} />],
        ]}
        leaves={['verdict']}
      />
    </Page>
  );
}
