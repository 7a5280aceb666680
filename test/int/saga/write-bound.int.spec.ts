import { afterEach, beforeEach, expect, it } from 'vitest';
import { Database, PgRunStore, QueueIds } from '#libs/postgres';
import { Stage } from './stage.js';

const BOUNDS = { tries: 99, callsPerMinute: 6, afterN: 1 } as const;
let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

/** Writes of two calls each, announced by the steps of these numbers: which of them may be made. */
async function begun(incidentId: string, steps: readonly number[], runs = stage.runs, calls = 2): Promise<readonly boolean[]> {
  const answers: boolean[] = [];
  for (const n of steps) answers.push(await runs.begin({ incidentId, n, act: 'write', calls }, BOUNDS));
  return answers;
}

async function incidentOf(queue: string): Promise<string> {
  return (await stage.incidents.open('saturation', { namespace: 'default', queue, subject: queue }, { reason: `${queue} is saturated` })).incident.id;
}

it('the database lets a run write no more often within a minute than its policy has, whichever steps announce it', async () => {
  const [id, other] = [await incidentOf('mails'), await incidentOf('letters')];
  expect(await begun(id, [1, 2, 3, 4, 5])).toEqual([true, true, true, false, false]);
  // What writes nothing is not held back, nor is another run.
  expect(await begun(id, [4], stage.runs, 0)).toEqual([true]);
  expect(await begun(other, [1])).toEqual([true]);
  expect(await stage.runs.tries(id, 1)).toMatchObject({ count: 1, writes: 6, oldestWriteMs: stage.nowMs });
});

it('a call of an act that began a minute ago may still be under way: it counts for ten seconds more', async () => {
  const id = await incidentOf('mails');
  await begun(id, [1, 2, 3]);
  await stage.pass(69_999);
  expect(await begun(id, [4])).toEqual([false]);
  await stage.pass(1);
  expect(await begun(id, [4, 4, 4, 4])).toEqual([true, true, true, false]);
});

it('of replicas that ask at once none is let in too many', async () => {
  const id = await incidentOf('mails');
  const databases = Array.from({ length: 4 }, () => new Database({ url: stage.world.database.url, poolSize: 2, role: 'jobwarden_app' }));
  try {
    const all = await Promise.all(databases.flatMap((database) => [1, 2].map((n) => begun(id, [n, n], new PgRunStore(database, new QueueIds(database))))));
    expect(all.flat().filter(Boolean)).toHaveLength(3);
  } finally {
    for (const database of databases) await database.close();
  }
});

it('the same step is tried as often as it may be, and none of a run that has gone on by then', async () => {
  const id = await incidentOf('mails');
  const tried = (afterN: number) => stage.runs.begin({ incidentId: id, n: 1, act: 'lift', calls: 0 }, { tries: 3, callsPerMinute: 6, afterN });
  expect([await tried(1), await tried(1), await tried(1), await tried(1)]).toEqual([true, true, true, false]);
  expect(await stage.runs.begin({ incidentId: id, n: 2, act: 'lift', calls: 0 }, { tries: 3, callsPerMinute: 6, afterN: 2 })).toBe(false);
});
