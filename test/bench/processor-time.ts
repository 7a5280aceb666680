import { existsSync, readFileSync } from 'node:fs';
import { connectedTo } from './bench-server.js';

/**
 * Processor time so far of the connections of that name, µs: what a busy machine does not change. null where the system
 * does not tell (it is Linux that does).
 */
export async function backendMicros(url: string, applicationName: string): Promise<number | null> {
  const pids = await connectedTo(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [applicationName],
    );
    return rows.map((r) => r.pid);
  });
  let nanoseconds = 0;
  for (const pid of pids) {
    const file = `/proc/${String(pid)}/schedstat`;
    if (!existsSync(file)) return null;
    nanoseconds += Number(readFileSync(file, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1_000;
}

/** Of this process, collecting garbage and all, µs. */
export function ownMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
