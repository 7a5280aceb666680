import type { Fate, Job } from '../fleet/run.js';
import { jobName, type Truth } from './truth.js';

const BROKEN = [
  { class: 'SyntaxError', message: 'Unexpected token < in JSON at position 0' },
  { class: 'RangeError', message: 'Maximum call stack size exceeded' },
  { class: 'DecodeError', message: 'invalid UTF-8 sequence in field 7' },
  { class: 'DatabaseError', message: 'invalid byte sequence for encoding "UTF8": 0x00', code: '22021' },
] as const;

/** A job, or a few of the same make, that kills whoever takes it, or fails wherever it runs. All others go well. */
export const poisonJob: Truth = {
  wishes: (random) => ({ perSecond: random.chance(0.5) ? [0.15, 1] : [0.3, 3], replicas: random.int(3, 7) }),
  inject: ({ fleet, random, atMs, queues }) => {
    const shape = random.pick(['kills', 'kills', 'kills', 'memory', 'fails', 'fails'] as const);
    const queue = random.pick(queues);
    const { name: kind } = random.pick(queue.kinds);
    const jobs: Job[] = [];
    const error = random.pick(BROKEN);
    const at = random.between(0.02, 0.6);
    fleet.troubles.push({
      fate: ({ job }): Fate | null => {
        if (!job.poison) return null;
        if (shape === 'memory') return null;
        return shape === 'kills' ? { ends: 'death', at } : { ends: 'failed', at, error };
      },
      memory: ({ job, worker }) => (job.poison && shape === 'memory' ? worker.pool.heapLimitMb : 0),
    });
    const count = random.pick([1, 1, 1, 2, 3]);
    for (let i = 0; i < count; i += 1) {
      fleet.agenda.at(atMs + (i === 0 ? 0 : random.between(0, 30_000)), () => {
        jobs.push(fleet.put(queue, { kind, poison: true, retries: random.int(shape === 'fails' ? 6 : 4, 12) }));
      });
    }
    return { shape, blamed: () => jobs.map(jobName) };
  },
};
