import { Type, type Static } from 'typebox';
import { ACTIONS, LEVELS, VERDICTS } from '#libs/domain';
import { count, grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue, valuesOf } from '../schemas/field.js';
import { GRADE, THRESHOLD_SOURCES } from '../vocabulary.js';
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
    verdict: nullable(Verdict, { description: 'null: due for another reason, such as a backoff that has passed.' }),
    reason: Type.String({ description: 'A stable word.' }),
    threshold: nullable(ThresholdView),
    action: nullable(ActionWord, { description: 'null: nothing that a level governs.' }),
    level: nullable(LevelWord),
    heldBy: Type.Optional(Type.String({ description: 'What held it back.' })),
  },
  { description: 'One job that was looked at.' },
);

export const ReconciliationRun = Type.Object(
  {
    id: Type.String(),
    startedAt: instant('When it began.'),
    finishedAt: Type.Optional(instant('When it ended.')),
    dryRun: Type.Optional(Type.Boolean({ description: 'Nothing was decided, only shown.' })),
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
    evidence: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { description: 'What Jobwarden would have done, and whether that was right.' },
);

export const ReconciliationList = listOf(ReconciliationRun, 'Runs, newest first.');
export const VerdictList = listOf(VerdictView, 'Would-haves, newest first.');
export type ThresholdView = Static<typeof ThresholdView>;
export type ReconciliationRow = Static<typeof ReconciliationRow>;
export type ReconciliationRun = Static<typeof ReconciliationRun>;
export type ReconcileCall = Static<typeof ReconcileCall>;
export type VerdictView = Static<typeof VerdictView>;
export type ReconciliationList = Static<typeof ReconciliationList>;
export type VerdictList = Static<typeof VerdictList>;
