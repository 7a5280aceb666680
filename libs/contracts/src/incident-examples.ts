import type { IncidentStepType } from '#libs/domain';

interface StepExample {
  readonly by: string;
  readonly reason: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** What an incident of saturation is about, as documents show it. */
export const SATURATION = {
  incidentId: '18',
  kind: 'saturation',
  subject: 'shop/mailer',
  summary: 'emails is saturated: 41 % of its attempts fail, 6,210 jobs wait',
  openedAt: '2026-01-31T12:00:00Z',
};

const jobwarden = (reason: string, evidence: StepExample['evidence']): StepExample => ({ by: 'jobwarden', reason, evidence });

/** A run where all goes well, and what may come instead; by type of step. */
export const RUN_EXAMPLES: Readonly<Partial<Record<IncidentStepType, StepExample>>> = {
  'cause-assessed': jobwarden('a bad revision: v42, 97 % sure', {
    cause: 'bad_revision',
    subject: 'v42',
    confidence: 0.97,
    action: 'rollback',
    selfSustained: false,
  }),
  'approval-requested': jobwarden('a person has to approve: isolate v42, then roll shop/mailer back to v41 with 10 replicas', {
    plan: ['let 3 queues in at 1 %', 'refuse v42 everywhere', 'give shop/mailer the release of v41, with 10 replicas'],
    deadline: '2026-01-31T13:00:00Z',
  }),
  approved: { by: 'operator:ada', reason: 'the new release is at fault', evidence: { answers: 3 } },
  'would-have': jobwarden('at observe: would isolate v42, then roll shop/mailer back to v41', { plan: ['refuse v42 everywhere'], why: 'observe' }),
  'intake-throttled': jobwarden('3 queues let in 1 % of what is normal', { queues: 3, before: { open: 3 }, after: { percent: 1 } }),
  'evidence-captured': jobwarden('a diagnostic report and a heap snapshot of mailer-7 are kept', { outcome: 'captured', bodies: 2 }),
  isolated: jobwarden('v42 is refused everywhere and holds no live lease', {
    before: { refusedEverywhere: false, liveLeases: 31 },
    after: { refusedEverywhere: true, liveLeases: 0 },
  }),
  'rollback-begun': jobwarden('shop/mailer is about to be given the release of v41, with 10 replicas', {
    before: { revision: 'v42', releaseId: 'mailer-7d9f', replicas: 10 },
    after: { revision: 'v41', releaseId: 'mailer-5c44', replicas: 10 },
    deadline: '2026-01-31T12:03:10Z',
  }),
  'rolled-back': jobwarden('shop/mailer has the release of v41', { after: { revision: 'v41', releaseId: 'mailer-5c44' } }),
  'replicas-restored': jobwarden('10 replicas are updated and available, as before', { after: { replicas: 10, available: 10 } }),
  verified: jobwarden('nothing of v42 is left, and 0 of 118 attempts failed', { succeeded: 118, failed: 0, bound: 0.1 }),
  readmitting: jobwarden('3 queues let in 10 % of what is normal', { step: 2, percent: 10 }),
  'readmission-fell-back': jobwarden('31 % of 204 attempts failed: back to 10 %', { step: 2, percent: 10, falls: 1 }),
  escalated: jobwarden('no release is known that proved healthy; v42 stays refused', { code: 'no_stable_revision' }),
  aborted: { by: 'operator:ada', reason: 'we mend it forward', evidence: { leaves: ['v42 stays refused'] } },
};
