// A worker of BullMQ as anybody has one: it knows nothing of Jobwarden. REDIS_PORT, QUEUE, LOCK_MS; prints what it begins.
import { Worker } from 'bullmq';

const env = (name: string): string => process.env[name] ?? '';
const lockMs = Number(env('LOCK_MS'));

const worker = new Worker(
  env('QUEUE'),
  async (job) => {
    process.stdout.write(`began ${String(job.id)}\n`);
    // Until somebody kills the process; the second time it is done at once.
    if (job.name === 'hangs-once' && job.attemptsStarted === 1) await new Promise(() => setInterval(() => undefined, 1_000));
  },
  { connection: { host: '127.0.0.1', port: Number(env('REDIS_PORT')) }, lockDuration: lockMs, stalledInterval: lockMs },
);
worker.on('error', (error) => void process.stderr.write(`${error.message}\n`));
await worker.waitUntilReady();
process.stdout.write('ready\n');
