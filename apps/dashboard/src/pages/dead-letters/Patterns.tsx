import { Checkbox, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../kit/Empty';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { When } from '../../kit/When';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import { patternsQuery, SINCE, type Since, type Where } from './letter-queries';
import { PatternRow } from './PatternRow';
import type { components } from '../../api/generated/schema';

const { patterns: text } = deadLetters;
type List = components['schemas']['PatternList'];

/** What came in, by what it died of: most arrivals first. */
export function Patterns({ where }: { readonly where: Where }) {
  const [query, change] = usePageQuery();
  const since: Since = SINCE.find((name) => name === query.get('since')) ?? '24h';
  const onlyMarked = query.get('marked') === 'yes';
  const found = useQuery(patternsQuery(where, since));
  return (
    <Stack gap="md">
      <div className={classes.tools}>
        <NativeSelect
          size="xs"
          label={text.within}
          value={since}
          data={SINCE.map((value) => ({ value, label: text.since[value] }))}
          onChange={({ currentTarget }) => change({ since: currentTarget.value === '24h' ? null : currentTarget.value })}
        />
        <Checkbox size="xs" mb={6} label={text.onlyMarked} checked={onlyMarked} onChange={({ currentTarget }) => change({ marked: currentTarget.checked ? 'yes' : null })} />
      </div>
      <QueryView query={found}>{(list) => <Found list={list} since={since} onlyMarked={onlyMarked} oneQueue={where.queue !== undefined} busy={found.isPlaceholderData} />}</QueryView>
    </Stack>
  );
}

interface FoundProps {
  readonly list: List;
  readonly since: Since;
  readonly onlyMarked: boolean;
  readonly oneQueue: boolean;
  readonly busy: boolean;
}

function Found({ list, since, onlyMarked, oneQueue, busy }: FoundProps) {
  const shown = onlyMarked ? list.items.filter(({ mark }) => mark !== null) : list.items;
  return (
    <>
      <Text size="sm">
        <b>{text.summary(count(list.arrived), count(list.total))}</b> <Reviewed list={list} />
      </Text>
      <Panel title={deadLetters.pattern.heading} flush>
        {shown.length === 0 ? (
          <Nothing since={since} onlyMarked={onlyMarked && list.items.length > 0} />
        ) : (
          <ul className={classes.list} aria-busy={busy}>
            {shown.map((pattern) => (
              <PatternRow key={pattern.id} pattern={pattern} oneQueue={oneQueue} />
            ))}
          </ul>
        )}
      </Panel>
      {list.total > list.items.length && (
        <Text size="sm" c="dimmed">
          {text.cut(count(list.items.length), count(list.total))}
        </Text>
      )}
    </>
  );
}

function Reviewed({ list: { lastReview } }: { readonly list: List }) {
  if (lastReview === null) return <>{text.neverReviewed}</>;
  return (
    <>
      {text.reviewed(visible(lastReview.by), visible(lastReview.reason))} <When at={lastReview.at} />
    </>
  );
}

function Nothing({ since, onlyMarked }: { readonly since: Since; readonly onlyMarked: boolean }) {
  if (onlyMarked) return <Empty title={text.noneMarked} text={text.noneMarkedText} />;
  return since === 'review' ? <Empty title={text.noneNew} text={text.noneNewText} /> : <Empty title={text.none} text={text.noneText} />;
}
