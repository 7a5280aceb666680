import type { Client, Logger } from '@jobwarden/client';
import type { Job as Attempt, RunResult, RunSpec } from '@jobwarden/worker';
import type { EachMessagePayload } from 'kafkajs';
import type { Owner } from '../owners/conflict.js';
import { isTakenOver } from './taken-over.js';
import { beating } from './heartbeats.js';
import type { Queued } from './queued.js';
import { runOf, type RecordRun } from './record-run.js';

/** A handler as kafkajs has it, with the attempt as second argument: its `signal` says when it is not wanted any more. */
export type RecordHandler = (payload: EachMessagePayload, attempt: Attempt) => Promise<unknown>;

/** What runs an attempt under its lease: `worker.run`. */
export interface Runner {
  run(spec: RunSpec, handler: (attempt: Attempt) => Promise<unknown>): Promise<RunResult>;
  /** Resolves once this release may begin jobs of the queue. */
  admitted(queue: string): Promise<void>;
}

export interface Running {
  readonly owner: Owner;
  readonly groupId: string;
  readonly client: Client;
  readonly logger: Logger;
  readonly runner: Runner;
  readonly queued: Queued;
  /** Rejects where two would recover the queue. */
  check(queue: string): Promise<void>;
  /** Nothing more is to be begun. */
  readonly closing: AbortSignal;
}

/**
 * What one look at a record has come to.
 *
 * `done`: whatever becomes of its job, it is not for this record to see to: commit it. `wait`: it is not, so nothing behind it
 * may be committed either; look again after so many ms. `refused`: the same, and it is this release that may not begin it: another
 * owner of the partition may. `closed`: this process ends; leave it to the next owner.
 */
export type Look = { readonly kind: 'done' } | { readonly kind: 'wait'; readonly ms: number } | { readonly kind: 'refused'; readonly ms: number; readonly queue: string } | { readonly kind: 'closed' };

const DONE: Look = { kind: 'done' };
const CLOSED: Look = { kind: 'closed' };
/** While nobody said when to ask again, and at most: who holds the job may end it long before its lease does. */
const ASK_AGAIN_MS = 5_000;
/** A failure's own time is the policy's backoff, which the next claim is told. */
const AFTER_FAILURE_MS = 1_000;

/**
 * Claims a record's job and runs it, once.
 *
 *   granted                    run, with a fencing token
 *   finished, retired          done: somebody has run it to its end
 *   superseded, token_unknown  done: of a record that was put back for an attempt which another has taken, or which is past
 *   held                       wait: another owner's lease lives, or the time of the next attempt has not come
 *   paused, throttled          wait
 *   revision_quarantined       refused
 *
 * Kafka hands a record out again after a rebalance or a crash, whether Jobwarden recovers the job or not: the claim decides.
 */
export async function look(running: Running, payload: EachMessagePayload, handler: RecordHandler): Promise<Look> {
  const { closing, groupId, queued, runner } = running;
  if (closing.aborted) return CLOSED;
  const run = runOf(payload, groupId);
  if (run === null) return DONE;
  await running.check(run.queue);
  const work = runner.run(run.spec, async (attempt) => {
    queued.note(run, payload);
    return await handler(payload, attempt);
  });
  const result = await beating(() => payload.heartbeat(), work);
  // A job that is not begun yet is to be seen waiting, and needs its payload to be put back; one that is over needs nothing.
  if (result.kind === 'refused' && WAITS.has(result.code)) queued.note(run, payload);
  return await afterwards(running, { run, payload, result });
}

const WAITS: ReadonlySet<string> = new Set(['held', 'paused', 'throttled', 'revision_quarantined']);

interface Ran {
  readonly run: RecordRun;
  readonly payload: EachMessagePayload;
  readonly result: RunResult;
}

async function afterwards({ owner, client, closing }: Running, { run, payload, result }: Ran): Promise<Look> {
  switch (result.kind) {
    case 'succeeded':
      return DONE;
    case 'failed': {
      if (!result.retryable) return DONE;
      const leaves = run.putBack || (owner === 'jobwarden' && run.carried);
      if (leaves && (await isTakenOver({ client, heartbeat: () => payload.heartbeat(), signal: closing }, run))) return DONE;
      return waitFor(AFTER_FAILURE_MS);
    }
    case 'refused':
      if (result.code === 'draining') return CLOSED;
      if (result.code === 'revision_quarantined') return refusedIn(run.queue, result.retryAfterMs);
      return WAITS.has(result.code) ? waitFor(result.retryAfterMs ?? ASK_AGAIN_MS) : DONE;
    case 'stopped':
      if (result.reason === 'drain') return CLOSED;
      if (result.reason === 'revision-quarantined') return refusedIn(run.queue);
      return result.reason === 'superseded' || result.reason === 'finished' ? DONE : waitFor(0);
    case 'parked':
      return waitFor(ASK_AGAIN_MS);
  }
}

function refusedIn(queue: string, ms = ASK_AGAIN_MS): Look {
  return { kind: 'refused', queue, ms: Math.min(ASK_AGAIN_MS, ms) };
}

function waitFor(ms: number): Look {
  return { kind: 'wait', ms: Math.min(ASK_AGAIN_MS, Math.max(100, ms)) };
}
