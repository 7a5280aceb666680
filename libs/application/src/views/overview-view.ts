import type { OverviewQueue } from '#libs/contracts';
import type { RunTimeBaseline } from '../learn/learned-thresholds.js';
import type { OverviewRow, OverviewRows, OverviewSample } from '../ports/overview-store.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { QueueGate } from '../ports/queue-gate-store.port.js';
import { iso } from './time.js';

export interface OverviewContext {
  readonly policies: Pick<PolicySource, 'policyFor'>;
  readonly gate: (queue: { readonly namespace: string; readonly queue: string }) => QueueGate | null;
  readonly refused: (queue: { readonly namespace: string; readonly queue: string }) => Iterable<string>;
  readonly baselines: Iterable<RunTimeBaseline>;
}

const keyOf = ({ namespace, queue }: { readonly namespace: string; readonly queue: string }) => JSON.stringify([namespace, queue]);

export function overviewQueues({ nowMs, minutes, queues }: OverviewRows, context: OverviewContext): OverviewQueue[] {
  const usual = new Map([...context.baselines].map((baseline) => [keyOf(baseline), baseline.p50Ms]));
  return queues.map((row) => ({
    ...figures(row, nowMs),
    usualMedianMs: usual.get(keyOf(row)) ?? null,
    ...history(row, minutes),
    levels: { ...context.policies.policyFor(row, null).levels },
    gate: context.gate(row)?.gate ?? 'open',
    ...(row.recovery !== null && { recovery: row.recovery }),
    ...refusedOf([...context.refused(row)]),
  }));
}

/** Nothing but null is nothing at all: most queues of a large installation are idle. */
function history({ samples }: OverviewRow, minutes: readonly number[]): Pick<OverviewQueue, 'waitingHistory' | 'failureHistory' | 'medianHistory'> {
  const of = (read: (sample: OverviewSample) => number | null): (number | null)[] => {
    const values = minutes.map((minute) => {
      const sample = samples.get(minute);
      return sample === undefined ? null : read(sample);
    });
    return values.every((value) => value === null) ? [] : values;
  };
  return {
    waitingHistory: minutes.map((minute) => samples.get(minute)?.waiting ?? 0),
    failureHistory: of(({ failed }) => failed),
    medianHistory: of(({ medianMs }) => medianMs),
  };
}

export const sampleTimes = ({ minutes }: OverviewRows): string[] => minutes.map((minute) => iso(minute * 60_000));

function figures(row: OverviewRow, nowMs: number) {
  const { namespace, queue, waiting, running, stuck, held, deadLettered, oldestSinceMs, succeeded, failed, medianMs } = row;
  return {
    ...{ namespace, queue, waiting, running, stuck, held, deadLettered },
    oldestAgeMs: oldestSinceMs === null ? null : Math.max(0, nowMs - oldestSinceMs),
    recent: { succeeded, failed, medianMs },
  };
}

function refusedOf(refusedRevisions: string[]) {
  return refusedRevisions.length === 0 ? {} : { refusedRevisions };
}
