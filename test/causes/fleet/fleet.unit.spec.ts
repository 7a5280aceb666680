import { describe, expect, it } from 'vitest';
import { scenarioOf, type Scenario } from '../scenario.js';
import type { LogEntry } from '../log/entry.js';

/** What the mechanisms make of a fleet, read from its log as anybody could. */

interface Data {
  readonly queue: string;
  readonly attempt?: number;
  readonly worker?: { readonly id: string; readonly incarnation: string; readonly revision?: string };
  readonly error?: { readonly class: string; readonly message: string; readonly code?: string };
  readonly runtime?: { readonly lockWaits: readonly { readonly holder?: string }[]; readonly heapUsed: number; readonly heapLimit: number; readonly poolInUse: number };
  readonly reason?: string;
}

const ofType = (log: readonly LogEntry[], kind: string): readonly { subject: string; data: Data; laneMs: number }[] =>
  log
    .filter(({ cloudEvent }) => cloudEvent.type === `jobwarden.job.${kind}.v1`)
    .map(({ cloudEvent, laneMs }) => ({ subject: cloudEvent.subject, data: cloudEvent.data as unknown as Data, laneMs }));

const LATE_MS = 9_000;

/** The first training scenario that is like that. */
function first(truth: Parameters<typeof scenarioOf>[1], like: (scenario: Scenario) => boolean): Scenario {
  for (let i = 0; i < 200; i += 1) {
    const scenario = scenarioOf('training', truth, i);
    if (like(scenario)) return scenario;
  }
  throw new Error('no such scenario');
}

describe('a fleet with something wrong in it', () => {
  it('whose jobs lock the same rows in either order has deadlocks, at workers of both releases, and heartbeats that say who waits for whom', () => {
    const scenario = first('lock_contention', ({ shape, besides, log }) =>
      shape === 'deadlocks' && besides.some((name) => name.startsWith('innocent rolling')) && ofType(log, 'failed').some(({ data }) => data.error?.code === '40P01'));
    const victims = ofType(scenario.log, 'failed').filter(({ data }) => data.error?.code === '40P01');
    expect(new Set(victims.map(({ data }) => data.worker?.revision)).size).toBeGreaterThan(1);
    const waits = scenario.log.flatMap(({ cloudEvent }) => (cloudEvent.data as unknown as Data).runtime?.lockWaits ?? []);
    const workers = new Set(scenario.log.map(({ cloudEvent }) => (cloudEvent.data as unknown as Data).worker?.id));
    expect(waits.filter(({ holder }) => holder !== undefined && workers.has(holder)).length).toBeGreaterThan(3);
    expect(victims.every(({ laneMs }) => laneMs >= scenario.wrongMs)).toBe(true);
  });

  it('of which one job is poison loses whoever takes it, and that job again and again', () => {
    const { log, blamed } = first('poison_job', ({ shape }) => shape === 'kills');
    const lost = ofType(log, 'restart-requested');
    const poison = lost.filter(({ subject, data }) => blamed.includes(`default/${data.queue}/${subject}`));
    expect(poison.length).toBeGreaterThan(2);
    // Every start of a poison job is the last that is heard of its worker.
    for (const one of [...ofType(log, 'started'), ...ofType(log, 'claimed')]) {
      if (!blamed.includes(`default/${one.data.queue}/${one.subject}`)) continue;
      const later = log.filter(({ cloudEvent, laneMs }) => laneMs > one.laneMs + 70_000
        && (cloudEvent.data as unknown as Data).worker?.incarnation === one.data.worker?.incarnation);
      expect(later.filter(({ cloudEvent }) => cloudEvent.source !== 'jobwarden')).toEqual([]);
    }
  });

  it('whose release is broken fails at that release alone', () => {
    const { log, blamed, wrongMs } = first('bad_revision', ({ shape }) => shape === 'fails');
    const failures = ofType(log, 'failed').filter(({ laneMs }) => laneMs >= wrongMs);
    const bad = failures.filter(({ data }) => blamed.includes(data.worker?.revision ?? ''));
    expect(bad.length).toBeGreaterThan(failures.length * 0.8);
  });

  it('whose memory runs out beats with a heap near its limit before it falls silent', () => {
    const { log, wrongMs } = first('memory', ({ shape, log: all }) => shape === 'leak' && ofType(all, 'restart-requested').length > 3);
    const full = log.filter(({ cloudEvent, laneMs }) => {
      const { runtime } = cloudEvent.data as unknown as Data;
      return laneMs > wrongMs && runtime !== undefined && runtime.heapUsed > runtime.heapLimit * 0.8;
    });
    expect(full.length).toBeGreaterThan(0);
  });

  it('whose leases are too short has the late writes of workers that were overtaken', () => {
    const { log } = first('race', () => true);
    const started = [...ofType(log, 'claimed'), ...ofType(log, 'started')];
    const refused = ofType(log, 'write-refused');
    expect(refused.length).toBeGreaterThan(2);
    for (const { subject, data, laneMs } of refused) {
      // A start that comes late was in time all the same.
      expect(started.some((one) => one.subject === subject && (one.data.attempt ?? 0) > (data.attempt ?? 0) && one.laneMs < laneMs + LATE_MS)).toBe(true);
    }
  });
});
