import { join } from 'node:path';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { redisLeftOut, waitUntil } from '#libs/testing';
import { TAP_COMMANDS } from './rights.fixture.js';
import { useStage, Watch } from './stage.fixture.js';

const workerEntry = join(import.meta.dirname, '../../../dist/test/packages/bullmq-tap/worker-main.js');
const LOCK_MS = 1_500;
interface ShadowRow {
  readonly queue: string;
  readonly action: string;
  readonly verdicts: number;
  readonly confirmed: number;
  readonly wrong: number;
}

describe.skipIf(redisLeftOut())('a tap on a queue of BullMQ whose worker is killed in mid-job', () => {
  const stage = useStage('defaults: {owner: queue, grace: 1s}\n');

  it('says what Jobwarden would have done, BullMQ confirms it, and Redis has only been read', async () => {
    const { redis, client } = stage.it;
    const queue = new Queue('emails', { connection: { host: '127.0.0.1', port: redis.port } });
    const env = { QUEUE: 'emails', LOCK_MS: String(LOCK_MS) };
    try {
      await queue.add('hangs-once', { to: 'ada@example.com' });
      const watch = await Watch.begin(client);
      const tap = stage.it.tap();
      await waitUntil('the tap is connected', async () => (await watch.noteTaps()) > 0, { withinMs: 20_000 });
      const first = stage.it.process(workerEntry, env);
      await first.waitForOutput(/began/u);
      const [run] = await seen('the tap tells of the start', async () => (await stage.it.jobs('emails')).filter((job) => job.status === 'processing'));
      await first.kill();
      // Nobody looks for stalled jobs now, so that the would-have comes before BullMQ's own recovery.
      await seen('the would-have', async () => (await shadow()).filter((row) => row.verdicts === 1));
      const second = stage.it.process(workerEntry, env);
      await second.waitForOutput(/began/u);
      const [row] = await seen('its grade', async () => (await shadow()).filter((r) => r.confirmed + r.wrong > 0));
      expect(row).toMatchObject({ queue: 'emails', action: 'requeue', verdicts: 1, confirmed: 1, wrong: 0 });
      await waitUntil('the second attempt succeeds', async () => (await stage.it.job('emails', run?.id ?? '')).status === 'succeeded');
      expect(await stage.it.job('emails', run?.id ?? '')).toMatchObject({ attempt: 2, anomalies: [] });

      await second.kill();
      expect(await tap.stop('SIGINT')).toMatchObject({ code: 0 });
      watch.end();
      const commands = [...watch.commands().keys()];
      expect(commands).toEqual(expect.arrayContaining(['xread', 'pttl', 'hmget']));
      expect(commands.filter((command) => command !== 'auth' && !TAP_COMMANDS.includes(command))).toEqual([]);
      expect(JSON.stringify(await stage.it.get('jobs?queue=emails'))).not.toContain('ada@example.com');
    } finally {
      await queue.close();
    }
  });

  async function shadow(): Promise<readonly ShadowRow[]> {
    return (await stage.it.get<{ rows: readonly ShadowRow[] }>('shadow-report?since=1h')).rows;
  }

  /** What was awaited. */
  async function seen<T>(what: string, look: () => Promise<readonly T[]>): Promise<readonly T[]> {
    let found: readonly T[] = [];
    await waitUntil(what, async () => (found = await look()).length > 0, { withinMs: 30_000 });
    return found;
  }
});
