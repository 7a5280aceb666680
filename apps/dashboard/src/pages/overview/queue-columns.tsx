import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Count } from '../../kit/Count';
import { LevelText, type Level } from '../../kit/LevelText';
import { Name } from '../../kit/Name';
import { StatusText } from '../../kit/StatusText';
import type { VirtualColumn } from '../../kit/VirtualTable';
import { pathTo } from '../../routes/paths';
import { common } from '../../text/common';
import { count, duration } from '../../text/format';
import { overview as text } from '../../text/overview';
import { failureRatio, slowness, type Standing } from './attention';
import type { OverviewQueue } from './overview-query';
import classes from './QueuesPanel.module.css';
import { FailureTrend, LatencyTrend, WaitingTrend } from './trends';

export type QueueRow = OverviewQueue & { readonly standing: Standing };

const { queues: words } = text;
const { columns: titles } = words;
const LEVELS: readonly Level[] = ['observe', 'approve', 'act'];

const figure = (of: (row: QueueRow) => number | null) => (a: QueueRow, b: QueueRow) => (of(a) ?? -1) - (of(b) ?? -1);
const name = ({ namespace, queue }: QueueRow) => `${namespace}/${queue}`;

export const SORTS = {
  attention: (a: QueueRow, b: QueueRow) => a.standing.weight - b.standing.weight || (a.waiting ?? 0) - (b.waiting ?? 0),
  queue: (a: QueueRow, b: QueueRow) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0),
  waiting: figure((row) => row.waiting),
  running: figure((row) => row.running),
  stuck: figure((row) => row.stuck),
  failures: figure(failureRatio),
  latency: figure((row) => slowness(row) ?? row.recent.medianMs),
  oldest: figure((row) => row.oldestAgeMs),
  letters: figure((row) => row.deadLettered),
  level: figure((row) => LEVELS.indexOf(row.levels.requeue)),
} as const;
export type SortKey = keyof typeof SORTS;

/** How much of a row there is room for. */
export type Room = 'phone' | 'tablet' | 'desk' | 'wide';

interface Options {
  /** Queues of more than one namespace are shown. */
  readonly several: boolean;
  readonly room: Room;
}

type Column = VirtualColumn<QueueRow> & {
  /** Left out where there is less room than that. */
  readonly from?: 'desk' | 'wide';
};

const ROOMS: readonly Room[] = ['phone', 'tablet', 'desk', 'wide'];

export function columnsOf({ several, room }: Options): readonly VirtualColumn<QueueRow>[] {
  const wide = room === 'wide';
  const columns: readonly Column[] = [
    { key: 'attention', title: titles.attention, hint: words.hints.attention, width: '5.25rem', cell: ({ standing }) => <State standing={standing} /> },
    { key: 'queue', title: titles.queue, width: 'minmax(7rem, 2fr)', phone: 'name', cell: (row) => <QueueName row={row} several={several} /> },
    { key: 'waiting', title: titles.waiting, hint: words.hints.waiting, width: 'minmax(calc(var(--spark) + 5.25rem), 1fr)', phone: 'detail', cell: (row) => <WaitingTrend queue={row} oldest={!wide} /> },
    { key: 'oldest', title: titles.oldest, hint: words.hints.oldest, width: '5.5rem', number: true, phone: 'hidden', from: 'wide', cell: ({ oldestAgeMs }) => (oldestAgeMs === null ? common.none : duration(oldestAgeMs)) },
    { key: 'running', title: titles.running, hint: words.hints.running, width: '4rem', number: true, phone: 'hidden', from: 'desk', cell: ({ running }) => <Count value={running} /> },
    { key: 'stuck', title: titles.stuck, hint: words.hints.stuck, width: '3rem', number: true, phone: 'detail', from: 'desk', cell: stuckJobs },
    { key: 'failures', title: titles.failures, hint: words.hints.failures, width: 'minmax(calc(var(--spark) + 4.5rem), 1fr)', phone: 'detail', cell: (row) => <FailureTrend queue={row} /> },
    { key: 'latency', title: titles.latency, hint: words.hints.latency, width: 'minmax(calc(var(--spark) + 4.5rem), 1fr)', phone: 'hidden', cell: (row) => <LatencyTrend queue={row} /> },
    { key: 'letters', title: titles.letters, hint: words.hints.letters, width: '3rem', number: true, phone: 'hidden', from: 'desk', cell: letters },
    { key: 'level', title: titles.level, hint: words.hints.level, width: '5.25rem', cell: ({ levels }) => <Levels levels={levels} /> },
  ];
  const enough = ROOMS.indexOf(room);
  return columns.filter(({ from }) => from === undefined || room === 'phone' || ROOMS.indexOf(from) <= enough);
}

/** All that a list can be sorted by, whether there is room for its column or not. */
export const SORT_NAMES = Object.entries(titles).map(([value, label]) => ({ value, label }));

function QueueName({ row: { namespace, queue }, several }: { readonly row: QueueRow; readonly several: boolean }) {
  return (
    <Anchor component={Link} to={pathTo.jobs({ namespace, queue })} size="sm" className={classes.name ?? ''}>
      {several && (
        <span className={classes.space}>
          <Name text={namespace} short />
          {' / '}
        </span>
      )}
      <Name text={queue} short />
    </Anchor>
  );
}

function State({ standing: { text: says, hint, tone, shape, to } }: { readonly standing: Standing }) {
  const status = <StatusText text={says} tone={tone} shape={shape} title={hint} />;
  return to === undefined ? (
    status
  ) : (
    <Anchor component={Link} to={to} size="sm">
      {status}
    </Anchor>
  );
}

function stuckJobs({ namespace, queue, stuck }: QueueRow): ReactNode {
  if (stuck === 0) return count(0);
  return (
    <Anchor component={Link} to={pathTo.stuck({ namespace, queue })} size="sm" className={classes.loud ?? ''} data-tone="bad">
      <Count value={stuck} />
    </Anchor>
  );
}

function letters({ namespace, queue, deadLettered }: QueueRow): ReactNode {
  if (deadLettered === 0) return count(0);
  return (
    <Anchor component={Link} to={pathTo.deadLetters({ namespace, queue })} size="sm">
      <Count value={deadLettered} />
    </Anchor>
  );
}

/** One word where all actions have the same level; else the level of each is in the title. */
function Levels({ levels }: { readonly levels: OverviewQueue['levels'] }) {
  const all = Object.entries(levels);
  const title = all.map(([action, level]) => words.levelTitle(action, common.level[level])).join('\n');
  const [first] = all;
  if (first === undefined || all.some(([, level]) => level !== first[1])) return <StatusText text={words.mixed} tone="calm" shape="square" title={title} />;
  return <LevelText level={first[1]} title={title} />;
}
