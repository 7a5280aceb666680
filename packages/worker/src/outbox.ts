import { randomUUID } from 'node:crypto';
import { activeTrace, stderrLogger, UnreachableError, type Client, type CloudEvent, type Invalidates, type Logger, type TraceContext } from '@jobwarden/client';
import { queuedData, type QueuedSpec } from './queued.js';
import type { Job } from './spec.js';
import { markTold } from './told.js';

/** The part of a `pg` client or pool that is used. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The part of a `pg.Pool` that is used. */
export interface PoolOfClients extends Queries {
  connect(): Promise<Queries & { release(error?: Error | boolean): void }>;
}

/** For your own migrations; {@link Outbox.install} runs it. May run more than once. */
export const OUTBOX_SQL = `
CREATE TABLE IF NOT EXISTS jobwarden_outbox (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue  text NOT NULL,
  job_id text NOT NULL,
  type   text NOT NULL,
  event  text NOT NULL
);
CREATE INDEX IF NOT EXISTS jobwarden_outbox_by_job ON jobwarden_outbox (queue, job_id);
`;

export interface OutboxOptions {
  readonly pool: PoolOfClients;
  readonly client: Client;
  /** The CloudEvents `source` of what is written. Default `outbox`. */
  readonly source?: string;
  /** How often it looks for what others have written, ms. Default 1,000. */
  readonly everyMs?: number;
  /** Default: warnings to standard error. */
  readonly logger?: Logger;
}

/**
 * A job's end, or a new job, in the same transaction as the data that it is about: both are there, or neither is.
 *
 *   your transaction: effect + row ──commit──► relayed by any process, again and again until it is acknowledged ──► row gone
 *                          └──rollback──► neither
 *
 * Killed between the commit and the relay, the row is still there: any other process relays it, and a worker with this
 * outbox looks into it before it begins an attempt, so the job does not run again. An event keeps its id, so a copy is a
 * duplicate. Order between jobs is not kept, and need not be.
 */
export interface Outbox {
  /** Makes the table where it is missing. */
  install(): Promise<void>;
  /**
   * The attempt has succeeded, if `tx` commits; call it within the handler, and the worker does not tell it a second time.
   * Where `tx` is rolled back, throw: an attempt of which nothing is told runs again when its lease is over.
   */
  succeeded(tx: Queries, job: Pick<Job, 'queue' | 'id' | 'attempt' | 'token'> & Partial<Pick<Job, 'traceparent' | 'tracestate'>>, invalidates?: Invalidates): Promise<void>;
  /** A job is put into its queue, if `tx` commits. */
  queued(tx: Queries, spec: QueuedSpec): Promise<void>;
  /** Whether a success of the job is written and perhaps not known to Jobwarden yet. */
  hasSucceeded(job: { readonly queue: string; readonly id: string }): Promise<boolean>;
  /** Relays what is there now; answers how many rows are gone. @throws UnreachableError, and what the database throws. */
  relay(): Promise<number>;
  /** Relays again and again; its timer keeps no process alive. What it answers ends that, after one more try. */
  start(): () => Promise<void>;
}

const BATCH = 500;

interface Row {
  readonly queue: string;
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly trace: TraceContext | null;
}

/** Default: of the span that is active in the caller's transaction. The relay, much later, has another. */
function traceOf({ traceparent, tracestate }: Partial<Pick<Job, 'traceparent' | 'tracestate'>>): TraceContext | null {
  return traceparent === undefined ? activeTrace() : { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { pool, client, source = 'outbox', everyMs = 1_000, logger = stderrLogger } = options;

  const write = async (tx: Queries, { queue, id, type, data, trace }: Row) => {
    const event: CloudEvent<object> = {
      specversion: '1.0',
      ...{ id: randomUUID(), source, subject: id },
      type: `jobwarden.job.${type}.v1`,
      time: new Date().toISOString(),
      ...trace,
      ...(client.namespace !== 'default' && { namespace: client.namespace }),
      data: { queue, ...data },
    };
    await tx.query('INSERT INTO jobwarden_outbox (queue, job_id, type, event) VALUES ($1, $2, $3, $4)', [queue, id, type, JSON.stringify(event)]);
  };

  const relayBatch = async (): Promise<number> => {
    const tx = await pool.connect();
    try {
      await tx.query('BEGIN');
      // Held while they are sent: of two that relay at once each has its own.
      const { rows } = await tx.query(`SELECT id, event FROM jobwarden_outbox ORDER BY id LIMIT ${String(BATCH)} FOR UPDATE SKIP LOCKED`);
      const found = rows as readonly { readonly id: string; readonly event: string }[];
      if (found.length > 0) {
        const results = await client.sendText(`[${found.map(({ event }) => event).join(',')}]`);
        for (const { outcome, detail } of results) if (outcome === 'refused' || outcome === 'quarantined') logger.warn(`an event of the outbox was ${outcome}: ${detail ?? ''}`);
        await tx.query('DELETE FROM jobwarden_outbox WHERE id = ANY ($1)', [found.map(({ id }) => id)]);
      }
      await tx.query('COMMIT');
      tx.release();
      return found.length;
    } catch (error) {
      await tx.query('ROLLBACK').catch(() => undefined);
      tx.release(error instanceof UnreachableError ? undefined : true);
      throw error;
    }
  };

  const relay = async (): Promise<number> => {
    let gone = 0;
    for (let batch = BATCH; batch === BATCH; gone += batch) batch = await relayBatch();
    return gone;
  };

  return {
    relay,
    install: async () => {
      await pool.query(OUTBOX_SQL);
    },
    succeeded: async (tx, job, invalidates) => {
      const { queue, id, attempt, token } = job;
      await write(tx, { queue, id, type: 'succeeded', data: { attempt, ...(token !== undefined && { token }), ...(invalidates !== undefined && { invalidates }) }, trace: traceOf(job) });
      markTold(job);
    },
    queued: async (tx, spec) => await write(tx, { queue: spec.queue, id: spec.id, type: 'queued', data: queuedData(spec), trace: traceOf(spec) }),
    hasSucceeded: async ({ queue, id }) => {
      const { rows } = await pool.query(`SELECT FROM jobwarden_outbox WHERE queue = $1 AND job_id = $2 AND type = 'succeeded' LIMIT 1`, [queue, id]);
      return rows.length > 0;
    },
    start: () => startRelay({ relay, everyMs, logger }),
  };
}

function startRelay({ relay, everyMs, logger }: { readonly relay: () => Promise<number>; readonly everyMs: number; readonly logger: Logger }): () => Promise<void> {
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  let under: Promise<void> = Promise.resolve();
  const turn = async () => {
    try {
      await relay();
    } catch (error) {
      logger.warn(`the outbox is not relayed for now: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (!ended) timer = setTimeout(() => void (under = turn()), everyMs).unref();
  };
  under = turn();
  return async () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
    await under;
    await relay().catch(() => undefined);
  };
}
