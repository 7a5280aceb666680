import type { IncidentStep } from '../incident/incident.js';
import type { IncidentStepType } from '../incident/step-types.js';
import type { OutcomeCounts } from '../cause/outcome-counts.js';
import type { PostmortemFacts, PostmortemState } from './facts.js';

/** 2026-01-31 12:00:00 UTC. */
export const NOON = Date.UTC(2026, 0, 31, 12);

export const counts = (some: Partial<OutcomeCounts>): OutcomeCounts => ({
  ...{ queued: 0, started: 0, succeeded: 0, failed: 0, lost: 0, deadLettered: 0, writeRefused: 0, contradicted: 0 },
  ...some,
});

export function steps(...of: readonly (readonly [seconds: number, type: IncidentStepType, reason: string, more?: { by?: string; evidence?: Record<string, unknown> }])[]): IncidentStep[] {
  return of.map(([seconds, type, reason, more], i) => ({
    n: i + 1,
    type,
    atMs: NOON + seconds * 1_000,
    by: more?.by ?? 'jobwarden',
    reason,
    ...(more?.evidence !== undefined && { evidence: more.evidence }),
  }));
}

/** A bad release that was taken out and rolled back, and whose errors would be much more than a text. */
export const HOSTILE = 'it fails since v42 | "Cannot read <img src=x onerror=alert(1)>"\n# a heading [click](https://evil.example) <!channel> @oncall `rm` www.evil.example \u202Egnp.exe';

export const BAD_RELEASE: PostmortemFacts = {
  incident: {
    id: '17',
    kind: 'saturation',
    subject: 'shop/mailer',
    queue: { namespace: 'default', queue: 'emails' },
    steps: steps(
      [0, 'opened', 'emails: 61 % of 4,804 ended badly, 6,120 wait', { evidence: { target: 'shop/mailer' } }],
      [2, 'cause-assessed', 'bad revision v42', {
        evidence: {
          ...{ cause: 'bad_revision', subject: 'v42', confidence: 0.97, selfSustained: true, action: 'rollback' },
          says: [{ says: HOSTILE, figures: { failed: 41, revision: 'v42', other: { not: 'shown' } } }, 'healthy: v41'],
        },
      }],
      [3, 'approval-requested', 'waits for a person'],
      [40, 'approved', 'go on', { by: 'ada' }],
      [43, 'evidence-captured', 'a report and a heap of mailer-7 are kept', { evidence: { outcome: 'captured' } }],
      [45, 'isolated', 'v42 is refused everywhere and holds no lease'],
      [60, 'rolled-back', 'shop/mailer has the release of v41'],
      [95, 'verified', 'nothing of v42 is left, and work succeeds again'],
      [96, 'readmitting', '1 % is let in', { evidence: { percent: 1 } }],
      [110, 'readmission-fell-back', 'failures rose again'],
      [200, 'readmitting', 'all is let in', { evidence: { percent: 100 } }],
      [201, 'resolved', 'all work again'],
    ),
  },
  beganMs: NOON - 90_000,
  counts: {
    before: { fromMs: NOON - 690_000, toMs: NOON - 90_000, counts: counts({ queued: 1_200, started: 1_206, succeeded: 1_198, failed: 7, lost: 1 }) },
    during: { fromMs: NOON - 90_000, toMs: NOON + 201_000, counts: counts({ queued: 600, started: 1_450, succeeded: 520, failed: 860, lost: 40, deadLettered: 12 }) },
  },
  runTimes: { before: { attempts: 1_198, p50Ms: 215.27, p99Ms: 1_024 }, during: { attempts: 520, p50Ms: 430.5, p99Ms: 8_192 } },
  depth: { before: 40, during: 5_980, signalled: 6_120 },
  again: { commands: 850, invalidated: 850, withoutKeys: 0, parkedInvalidations: 0, parkedCommands: 0 },
  jobs: {
    byStatus: { 'dead-lettered': 12, retrying: 3, processing: 2 },
    examples: [
      { namespace: 'default', queue: 'emails', id: 'welcome/8412', status: 'dead-lettered' },
      { namespace: 'default', queue: 'emails', id: '`](javascript:alert(1))<b>|', status: 'dead-lettered' },
    ],
    waiting: 14,
  },
  deadLetters: { letters: 12, patterns: [{ says: 'TypeError: Cannot read properties of undefined (reading <field>)', letters: 11 }, { says: 'lost', letters: 1 }] },
  signals: [{ source: 'evaluator', startsMs: NOON - 60_000, seenMs: NOON - 1_000 }],
  beside: { blackout: 1 },
  traces: { seen: 12, withoutEnd: 2, gaps: { count: 9, open: 1, longestMs: 61_400 } },
};

export const NOTHING_ADDED: PostmortemState = { answers: [], signature: null, followUps: [], moreFollowUps: 0 };
