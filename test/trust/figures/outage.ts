import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess, type TestProcess } from '#libs/testing';
import type { Trust, TrustFigure, TrustResult } from '../figure.js';
import { TrustStage, until, withoutBroker } from '../stage/stage.js';

const FLEET = join(import.meta.dirname, '../stage/fleet-process.js');
const QUEUE = 'fleet';
/** What was under way when it stopped and when it came back belongs to both. */
const EDGE_MS = 2_000;

interface FleetEnd {
  readonly jobs: number;
  readonly dropped: { readonly beats: number; readonly starts: number; readonly unheard: number; readonly facts: number };
  readonly buffered: number;
  readonly mostBytes: number;
  readonly boundBytes: number;
  readonly rss: number;
}

/** Workers that can reach nobody go on, and nothing of theirs is put back when the service returns. */
export const outage: TrustFigure = {
  name: 'outage',
  title: 'Outage: the service away for ten minutes, and a fleet of the worker library that goes on',
  leftOut: withoutBroker,
  run: async (trust) => {
    const leaseMs = trust.real ? 30_000 : 3_000;
    const policy = `defaults: {actions: act, idempotent: true, lease: ${String(leaseMs)}ms, grace: ${String(leaseMs / 2)}ms}`;
    const stage = await TrustStage.open({ policy });
    try {
      return await measure(trust, stage, leaseMs);
    } finally {
      await stage.close();
    }
  },
};

async function measure({ real, progress }: Trust, stage: TrustStage, leaseMs: number): Promise<TrustResult> {
  const awayMs = real ? 600_000 : 30_000;
  const replica = await stage.startReplica();
  await stage.untilRead();
  const fleets: TestProcess[] = [];
  try {
    const start = (how: string): TestProcess => {
      const fleet = startProcess({ entry: FLEET, args: [replica.url, QUEUE, how, String(leaseMs)] });
      fleets.push(fleet);
      return fleet;
    };
    const [watched, bare] = [start('watched'), start('bare')];
    progress('both fleets work');
    await until('both have done something', () => doneOf(watched) > 20 && doneOf(bare) > 20);
    progress(`the service is away for ${String(awayMs / 1_000)} s`);
    await replica.stop();
    await delay(EDGE_MS);
    const before = [doneOf(watched), doneOf(bare)] as const;
    await delay(awayMs - EDGE_MS);
    const [ofWatched, ofBare] = [doneOf(watched) - before[0], doneOf(bare) - before[1]];
    await replica.startAgain();
    progress('it is back: leases run again in full, twice over');
    await delay(leaseMs * 3);
    const end = await ended(watched);
    await ended(bare);
    await until('everything has been told', async () => (await stage.jobs('succeeded')) >= end.jobs - end.dropped.unheard, 60_000).catch(() => undefined);
    const [row] = await stage.database.rows<{ again: string }>('SELECT count(*) AS again FROM jobwarden.jobs WHERE attempt > 1 OR n > 0');
    return told({ awayMs, leaseMs, ofWatched, ofBare, end, succeeded: await stage.jobs('succeeded'), again: Number(row?.again) });
  } finally {
    await Promise.allSettled(fleets.map((fleet) => fleet.kill()));
  }
}

function doneOf(fleet: TestProcess): number {
  return Number(/done (\d+)\s*$/u.exec(fleet.output().trimEnd())?.[1] ?? 0);
}

async function ended(fleet: TestProcess): Promise<FleetEnd> {
  const exit = await fleet.stop('SIGTERM', 60_000);
  if (exit.code !== 0) throw new Error(`a fleet did not end cleanly:\n${fleet.output()}`);
  return JSON.parse(fleet.output().trimEnd().split('\n').at(-1) ?? '') as FleetEnd;
}

interface Found {
  readonly awayMs: number;
  readonly leaseMs: number;
  readonly ofWatched: number;
  readonly ofBare: number;
  readonly end: FleetEnd;
  readonly succeeded: number;
  readonly again: number;
}

function told({ awayMs, leaseMs, ofWatched, ofBare, end, succeeded, again }: Found): TrustResult {
  const { jobs, dropped, buffered, mostBytes, boundBytes, rss } = end;
  const ratio = ofWatched / ofBare;
  const unknown = jobs - succeeded;
  return {
    method: [
      `Two processes with ten places each, every job 250 ms of waiting, and five long runs that last over the outage. One runs them by the`,
      `worker library (onUnavailable: run, leases of ${String(leaseMs)} ms), the other bare. The one replica gets SIGTERM, and comes back on the same port`,
      `after ${String(awayMs / 1_000)} s. Compared is what both did in between, at the same time on the same machine. Put back is any job with a decision.`,
      'The buffer is bounded; when it is full, what Jobwarden has never heard of goes first: those jobs stay unknown, and are counted as dropped.',
    ],
    lines: [
      `throughput while it was away ${ratio.toFixed(3)} of bare (${String(ofWatched)} against ${String(ofBare)} jobs); at most ${(mostBytes / 1_024).toFixed(0)} KiB buffered of ${(boundBytes / 1_024).toFixed(0)}, rss ${(rss / 1_048_576).toFixed(0)} MiB`,
      `${String(unknown)} jobs of that time stay unknown: ${String(dropped.unheard)} facts of jobs that had not been heard of found no room`,
    ],
    counts: [
      { of: 'throughput against bare, in hundredths', found: Math.floor(ratio * 100), wanted: { atLeast: 95 } },
      { of: 'jobs put back, or decided on otherwise', found: again, wanted: { exactly: 0 } },
      { of: 'jobs that are not known to have succeeded, and were not told as dropped', found: Math.max(0, unknown - dropped.unheard), wanted: { exactly: 0 } },
      { of: 'ends of jobs that were seen to begin dropped, or not sent', found: dropped.facts + buffered, wanted: { exactly: 0 } },
      { of: 'bytes buffered beyond the bound', found: Math.max(0, mostBytes - boundBytes), wanted: { exactly: 0 } },
    ],
  };
}
