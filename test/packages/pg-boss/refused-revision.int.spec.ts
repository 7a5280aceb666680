import { createPgBoss, type JobwardenPgBoss, type Owner } from '@jobwarden/pg-boss';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { ScriptedJobwarden } from '../bullmq/scripted-jobwarden.js';

const silent = { info: () => undefined, warn: () => undefined };

describe('pg-boss workers of two releases, one of them out of service', () => {
  const database = useTestDatabase({ empty: true });
  const open: JobwardenPgBoss[] = [];
  let boss: PgBoss;

  beforeAll(async () => {
    boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
  });
  afterAll(async () => {
    for (const binding of open) await binding.close();
    await boss.stop({ graceful: false });
  });

  it.each<Owner>(['queue', 'jobwarden'])('run jobs with the other alone, lose and count none, and both again once it is let in; owner %s', async (owner) => {
    const jobwarden = new ScriptedJobwarden();
    jobwarden.policy = { owner, 'actions.requeue': 'act' };
    jobwarden.refusedRevisions = ['bad'];
    const queue = `refused-${owner}`;
    await boss.createQueue(queue, { retryLimit: 0 });
    const ran: string[] = [];
    const refused: string[] = [];
    const work = async (revision: string) => {
      const binding = createPgBoss(boss, { owner, client: jobwarden.client, logger: silent, worker: { revision, id: revision, onRevision: (of, state) => void refused.push(`${of} ${state}`) } });
      open.push(binding);
      await binding.work(queue, { pollingIntervalSeconds: 0.5 }, ({ data }) => void ran.push(`${revision} ${JSON.stringify(data)}`));
    };
    const rowOf = async (id: string) => (await boss.findJobs(queue, { id }))[0];
    // Alone, it takes the first, and puts it back.
    await work('bad');
    const first = String(await boss.send(queue, { n: 1 }));
    await waitUntil('it is refused', async () => refused.length === 1 && (await rowOf(first))?.state === 'created');
    // Others may have it at once.
    expect((await rowOf(first))?.startAfter.getTime()).toBeLessThanOrEqual(Date.now());
    await work('good');
    await boss.send(queue, { n: 2 });
    await waitUntil('both are completed', async () => (await boss.findJobs(queue)).every(({ state }) => state === 'completed') && ran.length === 2, { withinMs: 10_000 });
    expect([...ran].sort()).toEqual(['good {"n":1}', 'good {"n":2}']);
    expect(jobwarden.told.filter(({ type }) => type.includes('started')).map(({ data }) => data['attempt'])).toEqual(owner === 'queue' ? [1, 1] : []);
    expect(jobwarden.told.filter(({ type }) => type.includes('failed'))).toEqual([]);
    jobwarden.refusedRevisions = [];
    await waitUntil('it has run one, too', async () => {
      await boss.send(queue, { n: 3 });
      return ran.some((line) => line.startsWith('bad'));
    }, { withinMs: 10_000, everyMs: 50 });
    expect(refused).toEqual([`${queue} refused`, `${queue} admitted`]);
    await boss.offWork(queue);
  });
});
