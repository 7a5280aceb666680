import { noCounts, OUTCOME_SLOT_MS } from '../outcome-counts.js';
import type { BadAttempt, CauseWindow, WindowCell } from '../window.js';

/** A window of five minutes, of which the last three go wrong. */
const FROM = 1_700_000_000_000;
const TO = FROM + 300_000;
const BEGINS = FROM + 120_000;

export type ToldError = Partial<Pick<BadAttempt, 'class' | 'message' | 'code' | 'responseStatus'>>;

export interface QueueStory {
  readonly queue: string;
  /** Of ten attempts in each stretch, per release. */
  readonly bad: Readonly<Record<string, number>>;
  readonly perSlot?: number;
  /** Share that failed before the window, of releases that are not new. */
  readonly failedBefore?: number;
  /** One after the other, by turns. None: workers die. */
  readonly errors?: readonly ToldError[];
  /** The release that is new, and when it began. */
  readonly newest?: string;
  /** Few jobs, tried again and again; otherwise each attempt is of a job of its own. */
  readonly jobs?: number;
  readonly worker?: string;
  readonly lockWaits?: string;
}

export const away: Readonly<Record<'named' | 'address' | 'status' | 'reset', ToldError>> = {
  named: { class: 'AxiosError', code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND api.example.com' },
  address: { class: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.1.2.3:443' },
  status: { class: 'HttpError', message: 'upstream said 503', responseStatus: 503 },
  reset: { class: 'Error', code: 'ECONNRESET', message: 'read ECONNRESET' },
};
export const hostAway = (host: string): ToldError => ({ class: 'Error', code: 'ECONNREFUSED', message: `connect ECONNREFUSED https://${host}/v1` });
export const bug: ToldError = { class: 'TypeError', message: 'x is not a function' };
export const locked = (relation: string): ToldError => ({ class: 'DatabaseError', code: '55P03', message: `could not obtain lock on row in relation "${relation}"` });

export function windowFor(...stories: readonly QueueStory[]): CauseWindow {
  return {
    ...{ fromMs: FROM, toMs: TO, baselineFromMs: FROM - 3_600_000, attemptsLeftOut: false },
    queues: stories.map(({ queue }) => ({ queue: `default/${queue}`, waiting: 6_000 })),
    cells: stories.flatMap(cellsOf),
    revisions: stories.flatMap(({ queue, bad, newest }) =>
      Object.keys(bad).map((revision) => ({ queue: `default/${queue}`, revision, firstMs: revision === newest ? BEGINS : null, lastMs: TO })),
    ),
    attempts: stories.flatMap(attemptsOf).sort((a, b) => b.endedMs - a.endedMs),
    workers: stories.flatMap(({ queue, lockWaits }) => (lockWaits === undefined ? [] : [workerOf(queue, lockWaits)])),
  };
}

function cellsOf({ queue, bad, newest, perSlot = 10, errors, failedBefore = 0 }: QueueStory): readonly WindowCell[] {
  const cells: WindowCell[] = [];
  const cell = (slotMs: number, revision: string, all: number, failed: number, lost: number) =>
    cells.push({ queue: `default/${queue}`, slotMs, kind: '', revision, track: '', counts: { ...noCounts(), queued: all, started: all, succeeded: all - failed - lost, failed, lost } });
  for (const [revision, share] of Object.entries(bad)) {
    for (let at = FROM - 3_600_000; at < FROM && revision !== newest; at += 300_000) cell(at, revision, 30 * perSlot, Math.round(30 * perSlot * failedBefore), 0);
    for (let at = revision === newest ? BEGINS : FROM; at < TO; at += OUTCOME_SLOT_MS) {
      const wrong = at < BEGINS ? 0 : Math.round((share / 10) * perSlot);
      cell(at, revision, perSlot, errors?.length === 0 ? 0 : wrong, errors?.length === 0 ? wrong : 0);
    }
  }
  return cells;
}

function attemptsOf({ queue, bad, perSlot = 10, errors = [bug], jobs, worker }: QueueStory): readonly BadAttempt[] {
  const found: BadAttempt[] = [];
  for (const [revision, share] of Object.entries(bad)) {
    for (let at = BEGINS; at < TO; at += OUTCOME_SLOT_MS) {
      for (let i = 0; i < Math.round((share / 10) * perSlot); i += 1) {
        const n = found.length;
        const job = `j${String(jobs === undefined ? n : n % jobs)}`;
        const error = errors[n % errors.length];
        found.push({
          ...{ queue: `default/${queue}`, job, kind: '', attempt: 1 + Math.floor(n / (jobs ?? 1_000)), end: errors.length === 0 ? 'lost' : 'failed', endedMs: at + i, runMs: 400 },
          ...{ worker: worker ?? `${queue}-w${String(n % 3)}`, revision, class: null, message: null, code: null, responseStatus: null, ...error },
        });
      }
    }
  }
  return found;
}

function workerOf(queue: string, resource: string): CauseWindow['workers'][number] {
  const none = { heapUsed: null, heapLimit: null, rss: null, loopLagMs: null, poolInUse: null, poolWaiting: null };
  const samples = [BEGINS + 30_000, TO - 10_000].map((atMs) => ({ atMs, ...none, lockWaits: [{ resource, holder: `${queue}-w1`, waitedMs: 4_000 }] }));
  return { worker: `${queue}-w0`, revision: 'v1', queues: [`default/${queue}`], lastMs: TO, samples };
}
