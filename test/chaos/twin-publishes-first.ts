import pg from 'pg';
import { PgLogStore } from '#libs/postgres';

/**
 * A broken twin of the service: it publishes what it is about to decide before that is committed. Everything else is the
 * shipped program. The chaos run must find it out.
 */
const transact = PgLogStore.prototype.transact;
const pool = new pg.Pool({ connectionString: process.env['JOBWARDEN_DATABASE_URL'] });
pool.on('error', () => undefined);

PgLogStore.prototype.transact = async function <T>(
  this: PgLogStore,
  ...[request, work]: Parameters<typeof transact<T>>
): Promise<T> {
  const published: Promise<unknown>[] = [];
  const result = transact.call(this, request, (locked) => {
    const set = work(locked);
    for (const write of set.writes) {
      for (const { event } of write.events) {
        if (event.kind !== 'decision' || event.decision.kind !== 'requeued') continue;
        published.push(publish(write.job, event.decision.attempt, event.decision.token ?? 0));
      }
    }
    return set;
  });
  await Promise.allSettled(published);
  return (await result) as T;
};

async function publish(
  job: { shard: number; queueId: number; keyHex: string; ref: { id: string; queue: string } },
  attempt: number,
  token: number,
): Promise<void> {
  const number = Date.now() * 1_000 + Math.floor(Math.random() * 1_000);
  const message = {
    specversion: '1.0',
    id: `twin/${String(job.shard)}/${String(number)}`,
    source: 'jobwarden',
    type: 'jobwarden.command.enqueue.v1',
    subject: job.ref.id,
    data: { queue: job.ref.queue, n: 0, attempt, token, reason: 'lost' },
  };
  await pool.query(
    `INSERT INTO jobwarden.outbound (shard, number, place, kind, queue_id, job_key, outcome, lane_ms, message)
     VALUES ($1, $2, $2, 'enqueue', $3, decode($4, 'hex'), 'sent', 0, $5) ON CONFLICT DO NOTHING`,
    [job.shard, number, job.queueId, job.keyHex, JSON.stringify(message)],
  );
}

await import('../../apps/server/src/main.js');
