// A worker of a pg-boss queue in a process of its own, to be killed or frozen. In its first attempt a job hangs until it may
// go; each one that goes on writes a line to the sink, behind a fence that keeps the highest token.
import { postgresFenceHolds } from '@jobwarden/fences';
import { createPgBoss } from '@jobwarden/pg-boss';
import pg from 'pg';
import { PgBoss } from 'pg-boss';

const { DATABASE_URL, QUEUE, WORKER } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
const boss = new PgBoss({ connectionString: DATABASE_URL, supervise: false, schedule: false });
boss.on('error', (error) => void process.stderr.write(`${error.message}\n`));
await boss.start();

const jobwarden = createPgBoss(boss, { owner: 'jobwarden', worker: { id: WORKER, leaseMs: 500 } });
await jobwarden.consumeCommands(QUEUE).ready;
await jobwarden.work(QUEUE, { pollingIntervalSeconds: 0.5 }, async (job, { id, attempt, token }) => {
  const values = [id, attempt, WORKER];
  await pool.query('INSERT INTO starts (job, attempt, worker) VALUES ($1, $2, $3)', values);
  const go = async () => (await pool.query('SELECT FROM go WHERE job = $1', [id])).rowCount !== 0;
  while (job.data.hangs === attempt && !(await go())) await new Promise((resolve) => setTimeout(resolve, 20));
  const client = await pool.connect();
  await client.query('BEGIN');
  const holds = await postgresFenceHolds(client, id, token);
  if (holds) await client.query('INSERT INTO sink (job, attempt, worker) VALUES ($1, $2, $3)', values);
  await client.query('COMMIT');
  client.release();
  process.stdout.write(`${holds ? 'written' : 'refused'} ${attempt} of ${id}\n`);
  return { by: WORKER };
});
process.stdout.write('ready\n');
