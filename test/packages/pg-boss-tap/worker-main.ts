// A worker of pg-boss as anybody has one: it knows nothing of Jobwarden. DATABASE_URL, QUEUE; prints what it begins.
import { PgBoss } from 'pg-boss';

const { DATABASE_URL = '', QUEUE = '' } = process.env;
const boss = new PgBoss({ connectionString: DATABASE_URL, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, schedule: false });
boss.on('error', (error) => void process.stderr.write(`${error.message}\n`));
await boss.start();
await boss.work<{ hangs?: boolean }>(QUEUE, { pollingIntervalSeconds: 0.5, includeMetadata: true }, async ([job]) => {
  process.stdout.write(`began ${String(job?.id)} ${String(job?.retryCount)}\n`);
  // Until somebody kills the process; the second time it is done at once.
  if (job?.data.hangs === true && job.retryCount === 0) await new Promise(() => setInterval(() => undefined, 1_000));
});
process.stdout.write('ready\n');
