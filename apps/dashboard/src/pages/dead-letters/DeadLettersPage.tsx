import { Tabs } from '@mantine/core';
import { Page } from '../../kit/Page';
import { useNamespace } from '../../routes/namespace';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters as text } from '../../text/dead-letters';
import { LetterPage } from './LetterPage';
import { Letters } from './Letters';
import type { Where } from './letter-queries';
import { Patterns } from './Patterns';
import { RedriveRuns } from './RedriveRuns';
import { ReviewAllButton } from './ReviewButtons';

const TABS = ['patterns', 'letters', 'redrives'] as const;

/** All of them; with a queue and an id in the address that one. */
export default function DeadLettersPage() {
  const namespace = useNamespace();
  const [query] = usePageQuery();
  const [queue, id] = [query.get('queue') ?? '', query.get('id') ?? ''];
  if (queue !== '' && id !== '') return <LetterPage key={JSON.stringify([namespace, queue, id])} job={{ namespace, queue, id }} />;
  return <All where={{ namespace, ...(queue !== '' && { queue }) }} />;
}

function All({ where }: { readonly where: Where }) {
  const [query, change] = usePageQuery();
  const tab = TABS.find((name) => name === query.get('tab')) ?? 'patterns';
  return (
    <Page title={text.title} lead={text.lead} actions={<ReviewAllButton where={where} />}>
      <Tabs value={tab} onChange={(name) => change({ tab: name === 'patterns' ? null : name, next: null })} keepMounted={false}>
        <Tabs.List aria-label={text.tabs.label} mb="md">
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {text.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="patterns">
          <Patterns where={where} />
        </Tabs.Panel>
        <Tabs.Panel value="letters">
          <Letters where={where} />
        </Tabs.Panel>
        <Tabs.Panel value="redrives">
          <RedriveRuns where={where} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
