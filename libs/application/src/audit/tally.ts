import { JOB_STATUSES, type Contribution } from '#libs/domain';
import {
  SUMMED_COUNTERS,
  type Corrections,
  type CountedRow,
  type CounterCell,
  type CounterName,
  type RunTimeCell,
  type StoredSums,
  type SummedCounter,
} from '../ports/audit-store.port.js';
import type { Finding } from './audit-report.js';
import { contributionOfText } from './refold.js';

const FIELD_OF: Record<SummedCounter, 'succeeded' | 'failed' | 'lost' | 'retries' | 'deadLettered' | 'anomalies'> = {
  'attempts-succeeded': 'succeeded',
  'attempts-failed': 'failed',
  'attempts-lost': 'lost',
  retries: 'retries',
  'dead-letters': 'deadLettered',
  anomalies: 'anomalies',
};
const COUNTER_NAMES: readonly CounterName[] = [...JOB_STATUSES, ...SUMMED_COUNTERS];

/** What one row adds to each counter. */
export function countersOf(contribution: Contribution): Partial<Record<CounterName, number>> {
  const counts: Partial<Record<CounterName, number>> = { [contribution.status]: 1 };
  for (const name of SUMMED_COUNTERS) counts[name] = contribution[FIELD_OF[name]];
  return counts;
}

interface Difference {
  readonly cell: CounterCell | RunTimeCell;
  readonly stored: number;
  readonly expected: number;
}

/** Sums what rows add, and compares with what the counters say. Memory: one number per queue, shard and counter. */
export class Tally {
  /** Rows whose text cannot be read: they count for nothing here, and are found as drifts. */
  unreadable = 0;
  private readonly counters = new Map<string, CounterCell>();
  private readonly runTimes = new Map<string, RunTimeCell>();

  add(row: CountedRow): void {
    const contribution = contributionOfText(row.state);
    if (contribution === null) {
      this.unreadable += 1;
      return;
    }
    const { queueId, shard } = row;
    const counts = countersOf(contribution);
    for (const counter of COUNTER_NAMES) {
      const count = counts[counter] ?? 0;
      if (count !== 0) sum(this.counters, counterKey, { queueId, shard, counter, count });
    }
    for (const bucket of contribution.runTimes) {
      sum(this.runTimes, runTimeKey, { queueId, shard, kind: contribution.kind, bucket, count: 1 });
    }
  }

  /**
   * Where counters and rows disagree. Once retention has dropped jobs of a (queue, shard), sums over their attempts are
   * only known to be no less than what is left of them; their statuses are in their summaries.
   */
  compare(stored: StoredSums): { readonly findings: readonly Finding[]; readonly corrections: Corrections } {
    const retiredShards = new Set(stored.retired.map((c) => `${c.queueId}/${c.shard}`));
    for (const cell of stored.retired) sum(this.counters, counterKey, cell);
    const isFloor = (cell: CounterCell | RunTimeCell): boolean =>
      retiredShards.has(`${cell.queueId}/${cell.shard}`) && !('counter' in cell && isStatus(cell.counter));
    const counters = differences(this.counters, stored.counters, counterKey, isFloor);
    const runTimes = differences(this.runTimes, stored.runTimes, runTimeKey, isFloor);
    return {
      findings: [...counters, ...runTimes].map((d) => findingOf(d, stored)),
      corrections: { counters: counters.map(correctionOf), runTimes: runTimes.map(correctionOf) },
    };
  }
}

function isStatus(counter: CounterName): boolean {
  return (JOB_STATUSES as readonly string[]).includes(counter);
}

function counterKey({ queueId, shard, counter }: CounterCell): string {
  return `${queueId}/${shard}/${counter}`;
}

function runTimeKey({ queueId, shard, kind, bucket }: RunTimeCell): string {
  return `${queueId}/${shard}/${bucket}/${kind}`;
}

function sum<C extends CounterCell | RunTimeCell>(cells: Map<string, C>, keyOf: (cell: C) => string, cell: C): void {
  const key = keyOf(cell);
  cells.set(key, { ...cell, count: (cells.get(key)?.count ?? 0) + cell.count });
}

function differences<C extends CounterCell | RunTimeCell>(
  expected: ReadonlyMap<string, C>,
  stored: readonly C[],
  keyOf: (cell: C) => string,
  isFloor: (cell: C) => boolean,
): (Difference & { readonly cell: C })[] {
  const said = new Map(stored.map((cell) => [keyOf(cell), cell]));
  const found: (Difference & { readonly cell: C })[] = [];
  for (const [key, cell] of new Map([...said, ...expected])) {
    const [has, should] = [said.get(key)?.count ?? 0, expected.get(key)?.count ?? 0];
    if (has === should || (has > should && isFloor(cell))) continue;
    found.push({ cell, stored: has, expected: should });
  }
  return found;
}

function correctionOf<C extends CounterCell | RunTimeCell>({
  cell,
  stored,
  expected,
}: Difference & { readonly cell: C }): C {
  return { ...cell, count: expected - stored };
}

function findingOf({ cell, stored, expected }: Difference, { queues }: StoredSums): Finding {
  const named = queues.get(cell.queueId) ?? { namespace: '', queue: `#${cell.queueId}` };
  const counter =
    'counter' in cell ? cell.counter : `run-time ${cell.kind === '' ? '' : `${cell.kind} `}bucket ${cell.bucket}`;
  return { kind: 'counter', ...named, shard: cell.shard, counter, stored, expected, repaired: false };
}
