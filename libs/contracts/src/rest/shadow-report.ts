import { Type, type Static } from 'typebox';
import { ACTIONS, LEVELS, PROMOTION } from '#libs/domain';
import { count, duration, grantedAttempt, instant, jobId, namespace, nullable, oneOf, queue } from '../schemas/field.js';

/** `GET /v1/shadow-report` */

const share = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1 }), { description });
const { approve, act } = PROMOTION;

const ThresholdsUsed = Type.Object(
  {
    verdict: nullable(Type.String(), { description: 'lost, hung, or null for what has none, such as a failure.' }),
    source: Type.String({ description: 'Where it came from: job, kind, queue, learned or default.' }),
    leastMs: duration('The shortest.'),
    mostMs: duration('The longest.'),
    verdicts: count('Verdicts by it.'),
  },
  { description: 'Limits that were passed.' },
);

const WrongOne = Type.Object(
  {
    verdictId: Type.String(),
    id: jobId,
    attempt: grantedAttempt,
    kind: Type.String({ description: 'would-have, or act.' }),
    reason: Type.String({ description: 'lost, hung …' }),
    threshold: nullable(Type.Object({ source: Type.String(), ms: Type.Number() })),
    at: instant('When it was said, or done.'),
    gradedAt: instant('When it was found wrong.'),
    link: Type.String({ description: 'The job, on this service.' }),
  },
  { description: 'One that turned out wrong.' },
);

export const ShadowReportRow = Type.Object(
  {
    namespace,
    queue,
    action: oneOf(ACTIONS, { description: 'The action.' }),
    level: oneOf(LEVELS, { description: 'Its level now.' }),
    verdicts: count('Would-haves, and what was done at act, counted once per attempt and reason.'),
    confirmed: count('A later attempt was started, or nothing was heard of this one for ten more thresholds.'),
    wrong: count('It was heard of again, or ended by itself.'),
    open: count('Nothing is known yet.'),
    precision: share('Confirmed of all that are graded; null: none is.'),
    lowerBound: share('Lower end of its Wilson score interval at 95 %.'),
    would: Type.Object(
      {
        requeues: count('Restarts, requeues and commands sent again.'),
        retries: count('Retries after a failure.'),
        deadLetters: count('Dead letters.'),
      },
      { description: 'What would have been done, or has been proposed.' },
    ),
    done: Type.Object({ requeues: count('Requeues.'), deadLetters: count('Dead letters.') }, { description: 'Attempts that were given up.' }),
    thresholds: Type.Array(ThresholdsUsed),
    wrongOnes: Type.Array(WrongOne, { description: 'The newest that turned out wrong.' }),
    next: nullable(oneOf(LEVELS, { description: 'The level above.' })),
    suggested: Type.Boolean({ description: 'Move it to `next`.' }),
    code: oneOf(['met', 'at_act', 'too_few', 'bound_too_low', 'unsafe'], { description: 'Why, or why not.' }),
    detail: Type.String({ description: 'The same for people.' }),
  },
  { description: 'One action of one queue.' },
);

export const ShadowReport = Type.Object(
  {
    since: instant('Verdicts from here on, by the lane’s clock.'),
    until: instant('Up to here.'),
    rule: Type.String({
      description: `When a level is suggested: ${approve.graded} graded and a lower bound of ${approve.lowerBound} for approve; ${act.graded}, ${act.lowerBound} and a queue that is idempotent or claims its jobs for act.`,
    }),
    rows: Type.Array(ShadowReportRow),
  },
  { description: 'Whether Jobwarden would have been right, by queue and action.' },
);
export type ShadowReport = Static<typeof ShadowReport>;
export type ShadowReportRow = Static<typeof ShadowReportRow>;
