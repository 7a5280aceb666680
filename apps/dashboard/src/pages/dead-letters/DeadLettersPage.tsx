import { AddressTabs } from '../../kit/AddressTabs';
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

/** All of them; with a queue and an id in the address that one. */
export default function DeadLettersPage() {
  const namespace = useNamespace();
  const [query] = usePageQuery();
  const [queue, id] = [query.get('queue') ?? '', query.get('id') ?? ''];
  if (queue !== '' && id !== '') return <LetterPage key={JSON.stringify([namespace, queue, id])} job={{ namespace, queue, id }} />;
  return <All where={{ namespace, ...(queue !== '' && { queue }) }} />;
}

function All({ where }: { readonly where: Where }) {
  return (
    <Page title={text.title} lead={text.lead} actions={<ReviewAllButton where={where} />}>
      <AddressTabs
        label={text.tabs.label}
        titles={text.tabs}
        tabs={[
          ['patterns', () => <Patterns where={where} />],
          ['letters', () => <Letters where={where} />],
          ['redrives', () => <RedriveRuns where={where} />],
        ]}
      />
    </Page>
  );
}
