import type { Incident, Run, Step } from './incident-queries';

/** Steps a second apart, numbered from 1. */
export const steps = (...told: readonly (readonly [type: Step['type'], evidence?: Step['evidence'], by?: string])[]): Step[] =>
  told.map(([type, evidence, by = 'jobwarden'], at) => ({
    ...{ n: at + 1, type, at: new Date(Date.UTC(2026, 0, 31, 12, 0, at)).toISOString(), by, reason: `${type} it is` },
    ...(evidence !== undefined && { evidence }),
  }));

export const run = (phase: Run['phase'], changes: Partial<Run> = {}): Run => ({
  ...{ phase, waitsFor: null, until: null, target: 'shop/mailer', source: 'signal', dryRun: false, drill: false, cause: 'bad_revision', blamed: 'v42', plan: null, acted: false, code: null, queues: [] },
  ...changes,
});

export const incident = (told: Step[], of?: Run): Incident => ({
  ...{ incidentId: '18', kind: 'saturation', subject: 'shop/mailer', summary: 'emails is saturated', openedAt: '2026-01-31T12:00:00Z', namespace: null, queue: null, cause: 'bad_revision' },
  status: told.at(-1)?.type === 'resolved' ? 'resolved' : 'open',
  resolvedAt: null,
  steps: told,
  ...(of !== undefined && { run: of }),
});

export const ROLL_BACK = { cause: 'bad_revision', subject: 'v42', confidence: 0.97, plan: { does: 'roll-back', throttles: true, needsApproval: true, held: null, refused: null } };
