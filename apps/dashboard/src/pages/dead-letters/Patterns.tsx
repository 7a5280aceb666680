import { Checkbox, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../kit/Empty';
import { PageTurner } from '../../kit/PageTurner';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { When } from '../../kit/When';
import { usePageQuery } from '../../routes/page-query';
import { deadLetters } from '../../text/dead-letters';
import { count, visible } from '../../text/format';
import classes from './DeadLetters.module.css';
import { patternsQuery, SINCE, type PatternChoice, type Where } from './letter-queries';
import { PatternRow } from './PatternRow';
import { QueueChoice } from './QueueChoice';
import type { components } from '../../api/generated/schema';

const { patterns: text } = deadLetters;
type List = components['schemas']['PatternList'];

/** What came in, by what it died of: most arrivals first. */
export function Patterns({ where }: { readonly where: Where }) {
  const [query, change] = usePageQuery();
  const choice: PatternChoice = { since: SINCE.find((name) => name === query.get('since')) ?? '24h', marked: query.get('marked') === 'yes', next: query.get('next') };
  const found = useQuery(patternsQuery(where, choice));
  return (
    <Stack gap="md">
      <div className={classes.tools}>
        <QueueChoice where={where} />
        <NativeSelect
          size="xs"
          label={text.within}
          value={choice.since}
          data={SINCE.map((value) => ({ value, label: text.since[value] }))}
          onChange={({ currentTarget }) => change({ since: currentTarget.value === '24h' ? null : currentTarget.value, next: null })}
        />
        <Checkbox size="xs" mb={6} label={text.onlyMarked} checked={choice.marked} onChange={({ currentTarget }) => change({ marked: currentTarget.checked ? 'yes' : null, next: null })} />
      </div>
      <QueryView query={found}>{(list) => <Found list={list} choice={choice} oneQueue={where.queue !== undefined} busy={found.isPlaceholderData} />}</QueryView>
    </Stack>
  );
}

interface FoundProps {
  readonly list: List;
  readonly choice: PatternChoice;
  readonly oneQueue: boolean;
  readonly busy: boolean;
}

function Found({ list, choice, oneQueue, busy }: FoundProps) {
  return (
    <>
      <Text size="sm">
        <b>{(choice.marked ? text.summaryMarked : text.summary)(count(list.arrived), count(list.total))} {text.dead(count(list.dead))}</b> <Reviewed list={list} />
      </Text>
      <Panel title={deadLetters.pattern.heading} flush>
        {list.items.length === 0 && choice.next === null ? (
          <Nothing choice={choice} />
        ) : (
          <ul className={classes.list} aria-busy={busy}>
            {list.items.map((pattern) => (
              <PatternRow key={pattern.id} pattern={pattern} oneQueue={oneQueue} />
            ))}
          </ul>
        )}
        <PageTurner at={choice.next} next={list.next} />
      </Panel>
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

function Nothing({ choice: { since, marked } }: { readonly choice: PatternChoice }) {
  if (marked) return <Empty title={text.noneMarked} text={text.noneMarkedText} />;
  return since === 'review' ? <Empty title={text.noneNew} text={text.noneNewText} /> : <Empty title={text.none} text={text.noneText} />;
}
