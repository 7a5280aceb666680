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

/** Of a process and, where asked for, of all below it, dead ones included, µs. null where the system does not tell. */
export function processMicros(pid: number, { withChildren = false } = {}): number | null {
  const own = ticksOf(pid);
  if (own === null) return null;
  if (!withChildren) return own.own * TICK_US;
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').trim().split(' ');
  const below = children.filter((c) => c !== '').map((child) => ticksOf(Number(child))?.own ?? 0);
  return (own.own + own.ofDead + below.reduce((sum, ticks) => sum + ticks, 0)) * TICK_US;
}

/** `USER_HZ` is 100 on every Linux that Node runs on. */
const TICK_US = 10_000;

function ticksOf(pid: number): { readonly own: number; readonly ofDead: number } | null {
  const file = `/proc/${String(pid)}/stat`;
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  // Behind the name, which may hold anything: state is the third field, times are the 14th to the 17th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
  const [user = 0, system = 0, deadUser = 0, deadSystem = 0] = fields.slice(11, 15);
  return { own: user + system, ofDead: deadUser + deadSystem };
}
