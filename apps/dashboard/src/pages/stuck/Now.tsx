import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ActionButton } from '../../kit/ActionButton';
import { Panel } from '../../kit/Panel';
import { QueryView } from '../../kit/QueryView';
import { StatusText } from '../../kit/StatusText';
import { useNow } from '../../kit/When';
import { waitWord } from '../../kit/waiting';
import { ago, count, duration } from '../../text/format';
import { stuck } from '../../text/stuck';
import { approveAll } from './approve';
import { HeldTable } from './HeldTable';
import { heldQuery, runsQuery, standingQuery, underWayQuery, type Where } from './stuck-queries';
import { UnderWayTable } from './UnderWayTable';
import { VerdictTable } from './VerdictTable';
import type { components } from '../../api/generated/schema';

const { now: text } = stuck;
type Levels = components['schemas']['QueueView']['levels'];
type RunList = components['schemas']['RunList'];

interface Props {
  readonly where: Where;
  /** Of the queue that is chosen; null: all of them are shown. */
  readonly levels: Levels | null;
}

/** What stands: what is being dealt with first, then what waits for a person, then what is only said, then what is held back. */
export function Now({ where, levels }: Props) {
  const runs = useQuery(runsQuery(where, null, null));
  const proposed = useQuery(standingQuery(where, 'proposed'));
  const shown = useQuery(standingQuery(where, 'shown'));
  const nowMs = useNow();
  const held = useQuery(heldQuery(where));
  const underWay = useQuery(underWayQuery(where));
  const nothing = underWay.data?.items.length === 0 && proposed.data?.items.length === 0 && shown.data?.items.length === 0 && held.data?.items.length === 0;
  const asks = levels !== null && Object.values(levels).some((level) => level !== 'observe');
  return (
    <Stack gap="lg">
      <QueryView query={runs} lines={1}>
        {(list) => <Standing list={list} nowMs={nowMs} />}
      </QueryView>
      {nothing && <StatusText text={text.emptyText} tone="ok" shape="dot" wraps />}
      <Panel title={text.underWay} flush>
        <QueryView query={underWay} lines={2}>
          {({ items, next }) => <UnderWayTable jobs={items} more={next !== null} nowMs={nowMs} />}
        </QueryView>
      </Panel>
      <Panel title={text.proposed} flush aside={<ActionButton action={approveAll(where, 'proposed')} variant="filled" blocked={proposed.data?.items.length === 0 ? text.proposedNone : null} />}>
        <QueryView query={proposed} lines={2}>
          {({ items, next }) => <VerdictTable label={text.proposed} lead={text.proposedLead} none={text.proposedNone} verdicts={items} more={next !== null} where={where} approvable />}
        </QueryView>
      </Panel>
      <Panel
        title={text.shown}
        flush
        aside={<ActionButton action={approveAll(where, 'shown')} blocked={shown.data?.items.length === 0 ? text.shownNone : asks ? null : text.observing} />}
      >
        <QueryView query={shown} lines={2}>
          {({ items, next }) => <VerdictTable label={text.shown} lead={text.shownLead} none={text.shownNone} verdicts={items} more={next !== null} where={where} approvable={false} />}
        </QueryView>
      </Panel>
      <Panel title={text.held} flush>
        <QueryView query={held} lines={2}>
          {({ items, next }) => <HeldTable jobs={items} more={next !== null} />}
        </QueryView>
      </Panel>
    </Stack>
  );
}

function Standing({ list, nowMs }: { readonly list: RunList; readonly nowMs: number }) {
  const { unresolved, oldestUnresolvedMs, nextDue } = list;
  return (
    <Stack gap={4} align="flex-start">
      {unresolved > 0 ? (
        <StatusText text={text.overdue(count(unresolved), duration(oldestUnresolvedMs ?? 0))} tone="bad" shape="triangle" filled wraps />
      ) : (
        <StatusText text={text.calm} tone="ok" shape="dot" />
      )}
      {nextDue.length > 0 && (
        <Text size="sm" c="dimmed">
          {`${text.next}: ${nextDue
            .slice(0, 4)
            .map(({ jobs, waitsFor, at }) => text.nextLine(count(jobs), waitWord({ waitsFor }), ago(Date.parse(at), nowMs), Date.parse(at) <= nowMs))
            .join('; ')}`}
        </Text>
      )}
    </Stack>
  );
}
