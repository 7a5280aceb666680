import { describe, expect, it } from 'vitest';
import type { CauseWindow, OutcomeCounts } from '#libs/domain';
import type { QueueRates, RatesQuery } from '../ports/outcome-store.port.js';
import type { CauseCases } from './collaborators.js';
import { WindowCauses } from './window-causes.js';

const NOW = 1_000 * 86_400_000;
const HOUR = 3_600_000;
const QUEUE = { namespace: 'default', queue: 'mails' };
const NOTHING: CauseWindow = { fromMs: 0, toMs: 0, baselineFromMs: 0, queues: [], cells: [], revisions: [], attempts: [], attemptsLeftOut: false, workers: [] };

const counts = (succeeded: number, failed = 0): OutcomeCounts => ({ queued: 0, started: 0, succeeded, failed, lost: 0, deadLettered: 0, writeRefused: 0, contradicted: 0 });
const ran = (revision: string, succeeded: number, failed: number, lastMs: number) => ({ revision, track: '', counts: counts(succeeded, failed), firstMs: lastMs - HOUR, lastMs });

function causes(revisions: QueueRates['revisions']): WindowCauses {
  const rates = (query: RatesQuery) => Promise.resolve([{ ...QUEUE, counts: counts(0), revisions: revisions.filter(({ firstMs }) => firstMs < query.untilMs) }]);
  return new WindowCauses({ windows: { read: () => Promise.resolve(NOTHING) }, outcomes: { rates, nowMs: () => Promise.resolve(NOW) }, monotonicMs: () => 0 });
}

describe('revisions to go back to', () => {
  it('are those that were counted to do well within two days, the one that ran last first', async () => {
    const desk = causes([ran('v1', 500, 3, NOW - 30 * HOUR), ran('v3', 40, 90, NOW), ran('v2', 400, 20, NOW - 5 * HOUR), ran('v0', 19, 0, NOW - 40 * HOUR), ran('other', 900, 0, NOW)]);
    expect(await desk.healthy([QUEUE])).toEqual(['v2', 'v1']);
  });

  it('of no queue are none, and nothing is assessed', async () => {
    expect(await causes([]).healthy([])).toEqual([]);
    expect(await causes([]).assessed([], 0)).toBeNull();
  });
});

describe('many queues without a target', () => {
  const many = Array.from({ length: 120 }, (_, i) => ({ namespace: i % 2 === 0 ? 'default' : 'acme', queue: `q${String(i)}` }));
  const looked = async (msPerRead: number, cases: CauseCases['cases'] = [{ subject: 'default/overload', open: true, queues: many.slice(0, 30) }]) => {
    const reads: number[] = [];
    let nowMs = 0;
    const read = (queues: readonly unknown[]) => {
      reads.push(queues.length);
      nowMs += msPerRead;
      return Promise.resolve(NOTHING);
    };
    const desk = new WindowCauses({ windows: { read }, outcomes: { rates: () => Promise.resolve([]), nowMs: () => Promise.resolve(NOW) }, monotonicMs: () => nowMs });
    const placed = await desk.common(many, { cases, sinceMs: NOW - 60_000 });
    return { reads, placed };
  };

  it('are read fifty at a time, and placed each in its namespace', async () => {
    const { reads, placed } = await looked(10);
    expect(reads).toEqual([50, 50, 20]);
    expect([placed.get('default/q118'), placed.get('acme/q119')]).toEqual(['default/overload', 'acme/unknown']);
  });

  it('are left for the next look once one takes too long', async () => {
    const { reads, placed } = await looked(3_000);
    expect(reads).toEqual([50, 50]);
    expect([placed.has('default/q98'), placed.has('default/q100')]).toEqual([true, false]);
  });

  it('are placed, fifty of them at least, however many queues are in runs and however slow a look is', async () => {
    const cases = Array.from({ length: 12 }, (_, i) => ({ subject: `default/poison_job/j${String(i)}`, open: true, queues: Array.from({ length: 10 }, (_q, n) => ({ namespace: 'default', queue: `r${String(i)}-${String(n)}` })) }));
    const { reads, placed } = await looked(6_000, cases);
    expect([reads, placed.size, placed.has('acme/q49')]).toEqual([[50], 50, true]);
  });

  it('are not kept waiting by queues of a target, of a drill or of another namespace, which say nothing of a cause of theirs', async () => {
    const of = (subject: string, namespace = 'default') => ({ subject, open: true, queues: Array.from({ length: 10 }, (_, n) => ({ namespace, queue: `${subject}-${String(n)}` })) });
    const { reads } = await looked(0, [of('simulated:workers'), of('drill/f'), of('default/overload', 'acme')]);
    expect(reads).toEqual([50, 50, 20]);
  });
});

describe('since when a bad revision has been at work', () => {
  /** For five minutes nine of ten attempts of v2 fail, and none of v1's beside it. */
  const failing = (firstMs: number): CauseWindow => {
    const slots = Array.from({ length: 30 }, (_, i) => NOW - (i + 1) * 10_000);
    const cell = (slotMs: number, revision: string, bad: number) => ({ queue: 'default/mails', slotMs, kind: '', revision, track: '', counts: { ...counts(10 - bad, bad), queued: 10 } });
    return {
      ...{ ...NOTHING, fromMs: NOW - 600_000, toMs: NOW, baselineFromMs: NOW - 4_200_000, queues: [{ queue: 'default/mails', waiting: 6_000 }] },
      cells: [...slots.flatMap((at) => [cell(at, 'v1', 0), cell(at, 'v2', 9)]), ...Array.from({ length: 400 }, (_, i) => cell(NOW - 610_000 - i * 9_000, 'v1', 0))],
      revisions: [{ queue: 'default/mails', revision: 'v1', firstMs: null, lastMs: NOW }, { queue: 'default/mails', revision: 'v2', firstMs, lastMs: NOW }],
    };
  };
  const assessed = async (before: QueueRates['revisions']) => {
    const asked: RatesQuery[] = [];
    const rates = (query: RatesQuery) => {
      asked.push(query);
      return Promise.resolve([{ ...QUEUE, counts: counts(0), revisions: before.filter(({ firstMs }) => firstMs >= query.sinceMs && firstMs < query.untilMs) }]);
    };
    const desk = new WindowCauses({ windows: { read: () => Promise.resolve(failing(NOW - 300_000)) }, outcomes: { rates, nowMs: () => Promise.resolve(NOW) }, monotonicMs: () => 0 });
    return { found: await desk.assessed([QUEUE], NOW - 600_000), asked };
  };

  it('is what was counted more than a day ago, whatever the window knows of it', async () => {
    const { found, asked } = await assessed([ran('v2', 12, 0, NOW - 29 * HOUR), ran('v1', 500, 0, NOW - 40 * HOUR)]);
    expect(found).toMatchObject({ assessment: { cause: 'bad_revision', subject: 'v2', action: 'rollback' }, firstSeenMs: NOW - 30 * HOUR });
    expect(asked).toEqual([{ sinceMs: NOW - 48 * HOUR, untilMs: NOW - 24 * HOUR, queues: [QUEUE] }]);
  });

  it('is what the window knows where nothing of it was counted before', async () => {
    expect((await assessed([ran('v1', 500, 0, NOW - 40 * HOUR)])).found).toMatchObject({ assessment: { subject: 'v2' }, firstSeenMs: NOW - 300_000 });
  });
});
