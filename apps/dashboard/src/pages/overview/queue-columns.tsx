import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Count } from '../../kit/Count';
import { LevelText, type Level } from '../../kit/LevelText';
import { Name } from '../../kit/Name';
import { Sparkline } from '../../kit/Sparkline';
import { StatusText } from '../../kit/StatusText';
import type { VirtualColumn } from '../../kit/VirtualTable';
import { pathTo } from '../../routes/paths';
import { common } from '../../text/common';
import { count, duration, ratio } from '../../text/format';
import { overview as text } from '../../text/overview';
import { failureRatio, slowness, type Standing } from './attention';
import type { OverviewQueue } from './overview-query';
import classes from './QueuesPanel.module.css';

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

interface Options {
  /** Queues of more than one namespace are shown. */
  readonly several: boolean;
  readonly samples: readonly string[];
}

export function columnsOf({ several, samples }: Options): readonly VirtualColumn<QueueRow>[] {
  return [
    { key: 'attention', title: titles.attention, hint: words.hints.attention, width: '5.25rem', cell: ({ standing: { text: says, tone, shape } }) => <StatusText text={says} tone={tone} shape={shape} /> },
    { key: 'queue', title: titles.queue, width: 'minmax(8rem, 2fr)', cell: (row) => <QueueName row={row} several={several} /> },
    { key: 'waiting', title: titles.waiting, hint: words.hints.waiting, width: '4.25rem', number: true, phone: 'detail', cell: ({ waiting }) => (waiting === null ? common.unknown : <Count value={waiting} />) },
    { key: 'history', title: titles.history, width: '5.5rem', sortable: false, phone: 'hidden', cell: ({ waitingHistory }) => history(waitingHistory, samples) },
    { key: 'running', title: titles.running, hint: words.hints.running, width: '4.25rem', number: true, phone: 'detail', cell: ({ running }) => <Count value={running} /> },
    { key: 'stuck', title: titles.stuck, hint: words.hints.stuck, width: '3.25rem', number: true, phone: 'detail', cell: ({ stuck }) => loud(stuck, count(stuck), 'bad') },
    { key: 'failures', title: titles.failures, hint: words.hints.failures, width: '4.25rem', number: true, phone: 'detail', cell: failures },
    { key: 'latency', title: titles.latency, hint: words.hints.latency, width: '7.25rem', number: true, phone: 'hidden', cell: latency },
    { key: 'oldest', title: titles.oldest, hint: words.hints.oldest, width: '5rem', number: true, phone: 'hidden', cell: ({ oldestAgeMs }) => (oldestAgeMs === null ? common.none : duration(oldestAgeMs)) },
    { key: 'letters', title: titles.letters, hint: words.hints.letters, width: '3.5rem', number: true, phone: 'hidden', cell: letters },
    { key: 'level', title: titles.level, hint: words.hints.level, width: '5.5rem', phone: 'hidden', cell: ({ levels }) => <Levels levels={levels} /> },
  ];
}

function QueueName({ row: { namespace, queue }, several }: { readonly row: QueueRow; readonly several: boolean }) {
  return (
    <Anchor component={Link} to={pathTo.jobs({ namespace, queue })} size="sm" className={classes.name ?? ''}>
      {several && (
        <span className={classes.space}>
          <Name text={namespace} />
          {' / '}
        </span>
      )}
      <Name text={queue} />
    </Anchor>
  );
}

function history(values: readonly number[], samples: readonly string[]): ReactNode {
  const [from, to] = [values[0], values.at(-1)];
  if (samples.length < 2 || from === undefined || to === undefined) return <span className={classes.usual}>{words.noHistory}</span>;
  return <Sparkline values={values} label={words.history(count(from), count(to), count(Math.max(...values)))} />;
}

function loud(value: number, shown: string, tone: 'bad' | 'warn'): ReactNode {
  return value === 0 ? shown : <span className={classes.loud} data-tone={tone}>{shown}</span>;
}

function failures(row: QueueRow): ReactNode {
  const share = failureRatio(row);
  if (share === null) return common.none;
  return share < 0.05 ? ratio(share) : loud(1, ratio(share), share < 0.25 ? 'warn' : 'bad');
}

function latency(row: QueueRow): ReactNode {
  const { recent, usualMedianMs } = row;
  if (recent.medianMs === null) return common.none;
  const times = slowness(row);
  return (
    <>
      {duration(recent.medianMs)}{' '}
      {times !== null && usualMedianMs !== null && (
        <span className={classes.usual} data-slow={times >= 3 || undefined} title={words.usualTitle(factor(times), duration(usualMedianMs))}>
          {words.usual(factor(times))}
        </span>
      )}
    </>
  );
}

const factor = (times: number) => (times < 10 ? times.toFixed(1) : count(Math.round(times)));

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
