import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess, type TestProcess } from '#libs/testing';
import type { Trust, TrustFigure, TrustResult } from '../figure.js';
import { TrustStage, until, withoutBroker } from '../stage/stage.js';

const WORKER = join(import.meta.dirname, '../stage/worker-process.js');
const EACH = 20;
const QUEUE = 'watched';

interface Row {
  readonly queue: string;
  readonly action: string;
  readonly confirmed: number;
  readonly wrong: number;
  readonly open: number;
  readonly lowerBound: number | null;
}

/** Whoever is killed is told of, and nobody else, before anybody has allowed Jobwarden anything. */
export const shadow: TrustFigure = {
  name: 'shadow',
  title: `Shadow report: ${String(EACH)} workers killed with -9 beside ${String(EACH)} healthy long runs, at level observe`,
  leftOut: withoutBroker,
  run: async (trust) => {
    const leaseMs = trust.real ? 40_000 : 2_000;
    const policy = `defaults: {lease: ${String(leaseMs)}ms, grace: ${String(leaseMs / 2)}ms, actions: observe}`;
    const stage = await TrustStage.open({ policy });
    try {
      return await measure(trust, stage, leaseMs);
    } finally {
      await stage.close();
    }
  },
};

async function measure({ progress }: Trust, stage: TrustStage, leaseMs: number): Promise<TrustResult> {
  const { url } = await stage.startReplica();
  await stage.untilRead();
  const streamed = new StreamCount(`${url}/v1/streams/commands?from=start`);
  const workers: TestProcess[] = [];
  try {
    progress('starting the workers');
    const begunMs = performance.now();
    const start = (name: string): TestProcess => {
      const worker = startProcess({ entry: WORKER, args: [url, name, QUEUE, String(leaseMs), String(leaseMs / 4)] });
      workers.push(worker);
      return worker;
    };
    const dying = Array.from({ length: EACH }, (_, i) => start(`dying-${String(i)}`));
    const healthy = Array.from({ length: EACH }, (_, i) => start(`healthy-${String(i)}`));
    await Promise.all(workers.map((worker) => worker.waitForOutput(/started/)));
    progress('killing one after the other');
    const pausing = pauseEachThird(healthy, leaseMs);
    for (const worker of dying) {
      await worker.kill();
      await delay(leaseMs / 4);
    }
    progress('waiting for ten more thresholds of silence');
    await until('nothing is open any more', async () => settled(await report(url)), leaseMs * 20).catch(() => undefined);
    await pausing;
    const ranMs = performance.now() - begunMs;
    const exits = await Promise.all(healthy.map((worker) => worker.stop()));
    const rows = await report(url);
    const succeeded = await stage.jobs('succeeded');
    const records = await stage.records('commands');
    return told({ leaseMs, ranMs, rows, records, streamed: streamed.messages, succeeded, ended: exits.filter(({ code }) => code === 0).length });
  } finally {
    streamed.close();
    await Promise.allSettled(workers.map((worker) => worker.kill()));
  }
}

/** Every third healthy worker is stopped for half a lease, again and again: nearly too late, and never quite. */
async function pauseEachThird(healthy: readonly TestProcess[], leaseMs: number): Promise<void> {
  for (let round = 0; round < PAUSES; round += 1) {
    const paused = healthy.filter((_, i) => i % 3 === 0);
    for (const { pid } of paused) process.kill(pid, 'SIGSTOP');
    await delay(leaseMs / 2);
    for (const { pid } of paused) process.kill(pid, 'SIGCONT');
    await delay(leaseMs);
  }
}
const PAUSES = 4;

async function report(url: string): Promise<readonly Row[]> {
  const answer = await fetch(`${url}/v1/shadow-report?since=24h`);
  return ((await answer.json()) as { rows: Row[] }).rows;
}

function settled(rows: readonly Row[]): boolean {
  const [row] = rows;
  return row !== undefined && row.open === 0 && row.confirmed + row.wrong >= EACH;
}

/** Counts what a subscriber of the commands is sent. */
class StreamCount {
  messages = 0;
  private readonly ending = new AbortController();

  constructor(url: string) {
    void this.read(url).catch(() => undefined);
  }

  close(): void {
    this.ending.abort();
  }

  private async read(url: string): Promise<void> {
    const { body } = await fetch(url, { signal: this.ending.signal, headers: { accept: 'text/event-stream' } });
    for await (const chunk of body ?? []) {
      this.messages += new TextDecoder().decode(chunk as Uint8Array).split('\ndata:').length - 1;
    }
  }
}

interface Found {
  readonly leaseMs: number;
  readonly ranMs: number;
  readonly rows: readonly Row[];
  readonly records: number;
  readonly streamed: number;
  readonly succeeded: number;
  readonly ended: number;
}

function told({ leaseMs, ranMs, rows, records, streamed, succeeded, ended }: Found): TrustResult {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const bound = rows[0]?.lowerBound?.toFixed(3) ?? 'none';
  return {
    method: [
      `One replica at level observe, ${String(2 * EACH)} workers as processes of their own that beat over HTTP four times a lease of ${String(leaseMs)} ms.`,
      'Half of them get SIGKILL, one after the other, four a lease, so that the blackout guard has no reason to step in. Every third of',
      'the others is stopped by SIGSTOP for half a lease, four times: a longer pause than a lease would be a would-have, and a wrong one,',
      'since at observe it is said at the end of the lease. All by the real clock; a would-have is confirmed by ten more leases of silence.',
      'The report is that of GET /v1/shadow-report, the topic of commands is counted by its offsets.',
    ],
    lines: [
      `${String(sum((r) => r.confirmed))} confirmed, ${String(sum((r) => r.wrong))} wrong, lower bound ${bound}; the healthy ran for ${(ranMs / leaseMs).toFixed(0)} leases`,
    ],
    counts: [
      { of: 'confirmed', found: sum((r) => r.confirmed), wanted: { exactly: EACH } },
      { of: 'wrong', found: sum((r) => r.wrong), wanted: { exactly: 0 } },
      { of: 'open', found: sum((r) => r.open), wanted: { exactly: 0 } },
      { of: 'healthy runs that succeeded', found: Math.min(succeeded, ended), wanted: { exactly: EACH } },
      { of: 'records on the topic of commands', found: records, wanted: { exactly: 0 } },
      { of: 'messages on the stream of commands', found: streamed, wanted: { exactly: 0 } },
    ],
  };
}
