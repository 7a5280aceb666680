import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** What the queues of the demo were like for an hour, which would take an hour: the last minutes stay as they were. */
const AN_HOUR = `
INSERT INTO jobwarden.queue_samples (minute, queue_id, waiting, running, succeeded, failed, median_ms)
SELECT m.minute, q.queue_id,
  greatest(0, CASE q.queue WHEN 'newsletter' THEN 2 WHEN 'invoices' THEN 4 ELSE 6 END * (1 + sin(m.minute / 6.0 + q.queue_id)) + (hashint4(m.minute * 31 + q.queue_id) % 3))::integer,
  2, 30, CASE WHEN q.queue = 'invoices' AND m.minute % 9 < 2 THEN 4 ELSE 0 END,
  (usual.ms * (1 + 0.12 * sin(m.minute / 4.0 + q.queue_id) + (hashint4(m.minute * 7 + q.queue_id) % 10) / 100.0))::bigint
FROM (SELECT (jobwarden.lane_now() / 60000)::integer AS minute) AS now, generate_series(now.minute - 59, now.minute - 1) AS m (minute),
  (SELECT queue_id, queue FROM jobwarden.queues UNION ALL SELECT 0, '') AS q,
  LATERAL (SELECT coalesce((SELECT median_ms FROM jobwarden.queue_samples s WHERE s.queue_id = q.queue_id AND median_ms IS NOT NULL ORDER BY minute LIMIT 1), 400) AS ms) AS usual
ON CONFLICT (minute, queue_id) DO NOTHING`;

/** In the demo's own database, which lies in its data folder. */
export async function anHourOf(dataFolder: string): Promise<void> {
  const demo = join(dataFolder, 'demo', readdirSync(join(dataFolder, 'demo'))[0] ?? '');
  const port = readFileSync(join(demo, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  const client = new Client({ host: '127.0.0.1', port: Number(port), user: 'postgres', password: readFileSync(join(demo, 'postgres.password'), 'utf8').trim(), database: 'jobwarden' });
  await client.connect();
  try {
    await client.query(AN_HOUR);
  } finally {
    await client.end();
  }
}
