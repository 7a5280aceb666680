import { here, ramp, type Truth } from './truth.js';

/** Many jobs want the same few rows or keys: they wait for each other, and fail as victims or for having waited too long. */
export const lockContention: Truth = {
  wishes: () => ({ perSecond: [0.8, 5], database: true, locks: true }),
  inject: (scene) => {
    const { fleet, random, atMs } = scene;
    const shape = random.pick(['deadlocks', 'deadlocks', 'hot-row', 'stranger'] as const);
    const keys = Array.from({ length: shape === 'deadlocks' ? random.int(2, 3) : 1 }, () => `${random.pick(['accounts', 'stock', 'tenants'])}:${String(random.int(1, 900))}`);
    const share = random.between(0.6, 1);
    const slower = shape === 'deadlocks' ? random.between(6, 30) : random.between(10, 40);
    const rampMs = random.between(0, 60_000);
    const hit = (run: Parameters<typeof here>[1], nowMs: number): boolean => here(scene, run, nowMs) && run.job.of.locks > 0;
    fleet.troubles.push({
      lockKeys: (run, nowMs) => {
        if (!hit(run, nowMs) || !random.chance(share * ramp(nowMs, atMs - 1, rampMs))) return null;
        const first = random.int(0, keys.length - 1);
        const other = (first + random.int(1, Math.max(1, keys.length - 1))) % keys.length;
        return shape === 'deadlocks' ? [keys[first] ?? '', keys[other] ?? ''] : [keys[0] ?? ''];
      },
      // Who holds a hot row holds it for longer: the rows behind it have grown.
      slowdown: (run, nowMs) => (shape !== 'stranger' && hit(run, nowMs) ? Math.min(slower, 5_000 / run.job.of.medianMs) : 1),
    });
    // A migration or a forgotten session keeps it.
    if (shape === 'stranger') fleet.agenda.at(atMs, () => { fleet.locks.takeByStranger(keys[0] ?? ''); });
    return { shape, blamed: () => keys };
  },
};
