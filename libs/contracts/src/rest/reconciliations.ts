import { Type, type Static } from 'typebox';
import { ACTIONS, LEVELS, VERDICTS } from '#libs/domain';
import { count, grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue, valuesOf, whyKept } from '../schemas/field.js';
import { APPROVABLE_STATES, GRADE, LOOK_OUTCOMES, RUN_TRIGGERS, THRESHOLD_SOURCES, VERDICT_KINDS, VERDICT_STATES } from '../vocabulary.js';
import { listOf } from './problem.js';

/** `GET` and `POST /v1/reconciliations`, `GET /v1/verdicts`. */

export const ThresholdView = Type.Object(
  {
    source: oneOf(THRESHOLD_SOURCES, { description: 'Where it came from.' }),
    ms: Type.Number({ description: 'Its length in ms.' }),
  },
  { description: 'The limit that was passed.' },
);

const Verdict = oneOf(VERDICTS, { description: 'lost: silent. hung: alive and too long. starved: not begun.' });
const ActionWord = oneOf(ACTIONS, { description: 'What is, or would be, done.' });
const LevelWord = oneOf(LEVELS, { description: 'The level that held for it.' });

export const ReconciliationRow = Type.Object(
  {
    namespace,
    queue,
    id: jobId,
    attempt: Type.Optional(grantedAttempt),
    outcome: oneOf(LOOK_OUTCOMES, {
      description:
        'decided: it was done. would-have: it would have been, and the level only lets it be said. reported: nothing is to be done. held: not now, see `heldBy`. refused: it was approved, and is not true any more.',
    }),
    decisions: Type.Array(Type.String(), { description: 'What was, or would have been, decided, such as `requeued`.' }),
    worker: Type.Optional(Type.String({ description: 'Who runs it, by id.' })),
    dueAt: Type.Optional(instant('When its deadline passed.')),
    unresolved: Type.Optional(Type.Boolean({ description: 'Held back for two looks or more.' })),
    verdict: nullable(Verdict, { description: 'null: due for another reason, such as a backoff that has passed.' }),
    reason: Type.String({ description: 'A stable word.' }),
    threshold: nullable(ThresholdView),
    action: nullable(ActionWord, { description: 'null: nothing that a level governs.' }),
    level: nullable(LevelWord),
    heldBy: Type.Optional(Type.String({ description: 'What held it back: `lane:…`, `quarantine`, `paused`, `actions_off` …' })),
    refusal: Type.Optional(Type.String({ description: 'Why what was approved is not done; a stable word.' })),
    approvedBy: Type.Optional(Type.String({ description: 'Who has approved what was decided below act.' })),
  },
  { description: 'One job that was looked at.' },
);

export const ReconciliationRun = Type.Object(
  {
    id: Type.String(),
    startedAt: instant('When it began.'),
    finishedAt: Type.Optional(instant('When it ended.')),
    dryRun: Type.Optional(Type.Boolean({ description: 'Nothing was decided, only shown.' })),
    trigger: oneOf(RUN_TRIGGERS, { description: 'By itself, or asked for.' }),
    more: Type.Optional(Type.Boolean({ description: 'Of a run just asked for: more is due than it looked at.' })),
    looked: count('Jobs looked at.'),
    decided: count('Decisions appended.'),
    wouldHave: count('Would-haves recorded.'),
    held: count('Jobs held back.'),
    unresolved: Type.Optional(count('Jobs past their threshold for two runs without a verdict.')),
    oldestUnresolvedMs: Type.Optional(Type.Number({ minimum: 0, description: 'How long the oldest of them is past it.' })),
    rows: Type.Array(ReconciliationRow),
  },
  { description: 'One run of the reconciler.' },
);

export const ReconcileCall = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only show. Default false.' })),
    queue: Type.Optional(Type.String({ description: 'Only this queue.' })),
  },
  { description: 'Runs the reconciler now.' },
);

export const VerdictView = Type.Object(
  {
    verdictId: Type.String(),
    namespace,
    queue,
    id: jobId,
    attempt: grantedAttempt,
    verdict: nullable(Verdict, { description: 'null: a would-have without one, such as a retry.' }),
    reason: Type.String({ description: 'A stable word.' }),
    threshold: nullable(ThresholdView),
    action: nullable(ActionWord),
    level: LevelWord,
    at: instant('When it was recorded.'),
    grade: oneOf(valuesOf(GRADE), { description: 'What later facts made of it.' }),
    gradedAt: Type.Optional(instant('When.')),
    state: oneOf(VERDICT_STATES, {
      description:
        'shown: at observe. proposed: waits for an approval. approved: to be looked at. decided: it was done. refused: not true any more, see `refusal`. expired: to be approved again. lapsed: the job has moved on.',
    }),
    refusal: Type.Optional(Type.String({ description: 'Why what was approved is not done; a stable word.' })),
    approval: Type.Optional(
      Type.Object(
        { by: Type.String(), reason: Type.String(), at: instant('When.'), until: instant('How long it holds.') },
        { description: 'Who has approved it.' },
      ),
    ),
    evidence: Type.Optional(
      Type.Object({
        kind: oneOf(VERDICT_KINDS, { description: 'would-have: only said. report: nothing is to be done. act: done, and may prove wrong.' }),
        times: count('How often it was found again.'),
        lastAt: instant('When it was found last.'),
        decision: Type.Optional(Type.String({ description: 'What was, or would have been, decided, such as `requeued`.' })),
        worker: Type.Optional(Type.String({ description: 'Who ran it, by id.' })),
      }),
    ),
  },
  { description: 'What Jobwarden would have done, and whether that was right.' },
);

const VerdictId = Type.String({ minLength: 1, maxLength: 15, description: 'Id of a verdict.' });

/** `POST /v1/verdicts/approve` */
export const ApproveCall = Type.Object(
  {
    ids: Type.Optional(Type.Array(VerdictId, { minItems: 1, maxItems: 1_000, description: 'These; or else a `filter`.' })),
    filter: Type.Optional(
      Type.Object(
        {
          queue: Type.Optional(Type.String({ description: 'Of this queue.' })),
          action: Type.Optional(ActionWord),
          verdict: Type.Optional(Verdict),
          reason: Type.Optional(Type.String({ description: 'Said for this reason.' })),
          state: Type.Optional(
            oneOf(APPROVABLE_STATES, {
              description: 'As `GET /v1/verdicts?state=` lists them: `shown` was said at observe, `proposed` at approve.',
            }),
          ),
          until: Type.Optional(instant('Said at this time of the lane or before.')),
        },
        { description: 'All that can be approved and fit every field.', additionalProperties: false },
      ),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How many the filter finds. If it is another number now, nothing is approved.' }),
    ),
    reason: whyKept('Why; kept with each verdict and decision.'),
  },
  { description: 'Lets would-haves become decisions: at the next look, if they are still true.' },
);
export const ApproveAnswer = Type.Object(
  { approved: count('Verdicts approved.'), verdictIds: Type.Array(VerdictId) },
  { description: 'What is looked at now.' },
);

export const ReconciliationList = listOf(ReconciliationRun, 'Runs, newest first.');
export const VerdictList = listOf(VerdictView, 'Would-haves, newest first.');
export type ThresholdView = Static<typeof ThresholdView>;
export type ReconciliationRow = Static<typeof ReconciliationRow>;
export type ReconciliationRun = Static<typeof ReconciliationRun>;
export type ReconcileCall = Static<typeof ReconcileCall>;
export type ApproveCall = Static<typeof ApproveCall>;
export type ApproveAnswer = Static<typeof ApproveAnswer>;
export type VerdictView = Static<typeof VerdictView>;
export type ReconciliationList = Static<typeof ReconciliationList>;
export type VerdictList = Static<typeof VerdictList>;
