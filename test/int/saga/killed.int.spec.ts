import { describe, expect, it } from 'vitest';
import { INTENTS, type IncidentStep, type IntentName, type QueuePolicy } from '#libs/domain';
import { drive, type Path } from './killed.js';
import { cause, TARGET, type Stage } from './stage.js';

const rollback = (changes: Partial<QueuePolicy['rollback']> = {}): Partial<QueuePolicy> => ({
  rollback: { target: TARGET, scaleToZero: false, approval: false, coolDownMs: 0, writesPerMinute: 6, watchMs: 60_000, onAbort: 'lift', ...changes },
});
const KEDA = { scaler: { kind: 'keda', name: 'mails', min: 1, max: 9, paused: false } } as const;
const last = (steps: readonly IncidentStep[]) => steps.at(-1);

const badRevision = async (stage: Stage): Promise<void> => {
  stage.evidence = { outcome: 'not-asked', figures: {} };
  await stage.saturate('mails');
};
const blamed = (changes: Parameters<typeof cause>[0]) => async (stage: Stage): Promise<void> => {
  stage.assessed = cause(changes);
  await stage.saturate('mails');
};

interface KilledPath extends Path {
  readonly title: string;
  readonly ends: readonly string[];
  /** What is announced on it, and so has to be died behind. */
  readonly acts: readonly IntentName[];
  /** Writes to the target; each is made once more by a process that does not know that it stands, and then changes nothing. */
  readonly writes: number;
  readonly pool: object;
}

const ROLLED_BACK = ['isolated', 'rollback-begun', 'rolled-back', 'replicas-restored', 'verified', ...Array<string>(5).fill('readmitting'), 'resolved'];

const PATHS: readonly KilledPath[] = [
  {
    title: 'against a bad revision, with an approval and all steps of readmission',
    opened: [rollback({ approval: true })],
    prepare: badRevision,
    meanwhile: async (stage, steps) => {
      if (last(steps)?.type !== 'approval-requested') return false;
      const [{ id } = { id: '' }] = await stage.all();
      return (await stage.calls.approve(id, { reason: 'yes', by: 'ada' })).kind === 'done';
    },
    ends: ['opened', 'cause-assessed', 'approval-requested', 'approved', 'intake-throttled', 'evidence-captured', ...ROLLED_BACK],
    acts: ['throttle', 'capture-evidence', 'isolate', 'roll-back', 'set-share', 'lift'],
    writes: 1,
    pool: { revision: 'v1', wanted: 3, available: 3, paused: false },
  },
  {
    title: 'that scales to zero, with KEDA paused meanwhile',
    opened: [rollback({ scaleToZero: true }), KEDA],
    prepare: badRevision,
    ends: ['opened', 'cause-assessed', 'intake-throttled', 'evidence-captured', ...ROLLED_BACK],
    acts: ['throttle', 'capture-evidence', 'isolate', 'scale-to-zero', 'roll-back', 'release-scaler', 'set-share', 'lift'],
    writes: 3,
    pool: { revision: 'v1', wanted: 3, available: 3, paused: false },
  },
  {
    title: 'that gives up while the pool is at zero, and puts back what was taken away',
    opened: [rollback({ scaleToZero: true }), KEDA],
    prepare: badRevision,
    // Between two of the looks that count.
    meanwhile: async (stage, steps) => {
      if (last(steps)?.evidence?.['zeroLook'] === undefined) return false;
      await stage.scaledBy('kubectl', 2);
      return true;
    },
    ends: ['opened', 'cause-assessed', 'intake-throttled', 'evidence-captured', 'escalated'],
    acts: ['throttle', 'capture-evidence', 'isolate', 'scale-to-zero', 'put-back'],
    writes: 2,
    pool: { revision: 'v2', wanted: 3, available: 3, paused: false },
  },
  {
    title: 'against a poison job',
    opened: [rollback()],
    prepare: blamed({ cause: 'poison_job', subject: 'default/mails/of-mails', action: 'dead-letter' }),
    ends: ['opened', 'cause-assessed', 'intake-throttled', 'isolated', 'verified', ...Array<string>(5).fill('readmitting'), 'resolved'],
    acts: ['throttle', 'dead-letter', 'set-share', 'lift'],
    writes: 0,
    pool: { revision: 'v2', wanted: 3, available: 3, paused: false },
  },
  {
    title: 'that only throttles until the signal is over',
    opened: [rollback({ target: null })],
    prepare: blamed({ cause: 'downstream_outage', subject: 'smtp', action: 'throttle' }),
    meanwhile: async (stage, steps) => {
      if (last(steps)?.type !== 'intake-throttled') return false;
      await stage.calm('mails');
      return true;
    },
    ends: ['opened', 'cause-assessed', 'intake-throttled', ...Array<string>(5).fill('readmitting'), 'resolved'],
    acts: ['throttle', 'set-share', 'lift'],
    writes: 0,
    pool: { revision: 'v2', wanted: 3, available: 3, paused: false },
  },
];

describe('a run whose process is killed behind every step and every act', () => {
  it.each(PATHS)('$title: ends as one whose process lives', async (path) => {
    const [lived, killed] = [await drive(path, false), await drive(path, true)];
    expect(lived.end).toMatchObject({ types: path.ends, pool: path.pool });
    expect(killed.end).toEqual(lived.end);
    expect([...killed.acted].sort()).toEqual([...path.acts].sort());
    // The first step is made before there is a run that could be driven.
    expect(killed.killedBehind).toEqual(killed.made.slice(1));
    expect(killed.mostTries).toBe(2);
    expect(lived.applied).toBe(path.writes);
    expect(killed.applied).toBe(2 * path.writes);
  });

  it('dies behind all that may be announced, on one of these ways', () => {
    expect([...new Set(PATHS.flatMap(({ acts }) => acts))].sort()).toEqual([...INTENTS].sort());
  });
});
