import { drawRevision } from '../draw/terrain.js';
import { outageOf } from '../draw/outages.js';
import { rollOut, type Rollout } from '../fleet/rollout.js';
import type { Fate, Run, Trouble } from '../fleet/run.js';
import type { JobError } from '../log/entry.js';
import type { Random } from '../random.js';
import { jobsWithin, type Scene, type Truth } from './truth.js';

const SHAPES = ['fails', 'fails', 'fails-one-kind', 'leaks', 'dies', 'slow', 'wrong-settings', 'often-fails', 'leaks-connections'] as const;
type Shape = (typeof SHAPES)[number];

/** A release that is broken in itself: what it does to a job no other release does. */
export const badRevision: Truth = {
  wishes: () => ({ perSecond: [0.6, 5], calls: true, database: true }),
  inject: (scene) => {
    const { fleet, random, main } = scene;
    const to = otherRevision(random, main.revision);
    const shape = random.pick(SHAPES);
    rollOut(fleet, { ...drawRollout(scene, shape), to, sure: true });
    fleet.troubles.push(broken(shape, to, scene));
    return { shape, blamed: () => [to] };
  },
};

export function otherRevision(random: Random, than: string): string {
  for (;;) {
    const revision = drawRevision(random);
    if (revision !== than) return revision;
  }
}

/** A tenth of the workers is enough to see a failure, but not to see a slow release among all others' waits. */
function drawRollout({ random, main, atMs }: Scene, shape: Shape): Omit<Rollout, 'to'> {
  const how = random.pick(shape === 'slow' ? (['rolling', 'rolling', 'recreate'] as const) : (['rolling', 'rolling', 'recreate', 'canary'] as const));
  return { pool: main, how, beginMs: atMs, takesMs: random.between(20_000, 240_000) };
}

function broken(shape: Shape, revision: string, scene: Scene): Trouble {
  const { random, fleet, queues, main } = scene;
  const of = (run: Run): boolean => run.worker.revision === revision && run.worker.pool === main;
  const bug = bugOf(random);
  switch (shape) {
    case 'fails':
      return { fate: failing(of, random.between(0.7, 1), random, () => bug) };
    case 'often-fails':
      return { fate: failing(of, random.between(0.35, 0.7), random, () => bug) };
    case 'fails-one-kind': {
      const kind = random.pick(random.pick(queues).kinds).name;
      return { fate: failing((run) => of(run) && run.job.kind === kind, random.between(0.8, 1), random, () => bug) };
    }
    case 'wrong-settings': {
      // It asks the wrong address, or with the wrong key; the releases beside it ask the right one.
      const outage = outageOf(random.pick(['refused', 'dns', '503'] as const), 'api.payments.example', 1, random);
      const denied = { class: 'HTTPError', message: 'Response code 401 (Unauthorized)', responseStatus: 401 };
      const refused = random.chance(0.5);
      return { fate: failing((run) => of(run) && run.job.of.calls.length > 0, random.between(0.85, 1), random, () => (refused ? denied : outage.answer().error)) };
    }
    case 'leaks': {
      const jobsToDeath = jobsWithin(scene, random.between(20_000, 60_000));
      return { leak: (run) => (of(run) ? (main.heapLimitMb - main.heapMb) / jobsToDeath : 0) };
    }
    case 'dies': {
      const share = random.between(0.15, 0.7);
      return { fate: (run) => (of(run) && fleet.random.chance(share) ? { ends: 'death', at: fleet.random.next() } : null) };
    }
    case 'leaks-connections': {
      const share = main.connections / jobsWithin(scene, random.between(15_000, 45_000));
      return { leaksConnection: (run) => of(run) && random.chance(share) };
    }
    case 'slow': {
      const factor = random.between(60, 400);
      return { slowdown: (run) => (of(run) ? factor : 1), loopLagMs: (worker) => (worker.revision === revision ? random.between(50, 500) : 0) };
    }
  }
}

function failing(of: (run: Run) => boolean, share: number, random: Random, error: () => JobError): (run: Run) => Fate | null {
  return (run) => (of(run) && random.chance(share) ? { ends: 'failed', at: random.between(0.01, 0.5), error: error() } : null);
}

function bugOf(random: Random): JobError {
  return random.pick<JobError>([
    { class: 'TypeError', message: "Cannot read properties of undefined (reading 'total')" },
    { class: 'ReferenceError', message: 'process_order is not defined' },
    { class: 'AssertionError', message: 'schema version 12 expected, 11 found' },
    { class: 'Error', message: 'Missing environment variable PAYMENTS_URL', code: 'E_CONFIG' },
    { class: 'DatabaseError', message: 'column "shipped_at" does not exist', code: '42703' },
    { class: 'NoSuchMethodError', message: 'com.example.Order.items()' },
  ]);
}
