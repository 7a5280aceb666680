// Commits its effect and its success, and is killed before the success is relayed. `killed-outbox.mjs <jobwarden> <database>`
import { createClient } from '@jobwarden/client';
import { createWorker } from '@jobwarden/worker';
import { createOutbox } from '@jobwarden/worker/outbox';
import pg from 'pg';

const [url, database] = process.argv.slice(2);
const client = createClient({ url });
const pool = new pg.Pool({ connectionString: database });
const outbox = createOutbox({ pool, client });
const worker = createWorker({ client, id: 'first', leaseMs: 500, outbox });
await worker.run({ queue: 'q', id: 'paid' }, async (job) => {
  const tx = await pool.connect();
  await tx.query('BEGIN');
  await tx.query('INSERT INTO payouts (job, attempt) VALUES ($1, $2)', [job.id, job.attempt]);
  await outbox.succeeded(tx, job);
  await tx.query('COMMIT');
  process.kill(process.pid, 'SIGKILL');
});
