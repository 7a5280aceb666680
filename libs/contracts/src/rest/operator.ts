import { Type, type Static } from 'typebox';
import { DEFAULT_LIMITS } from '../limits.js';
import { instant, grantedAttempt, count, oneOf, whyKept } from '../schemas/field.js';
import { ErasureView, JobStatusWord } from './jobs.js';

/** What an operator asks for: calls on a job, the stop switch, the controlled clock. */

/** Where erasing does not reach. */
export const OUT_OF_REACH = ['log', 'topics', 'receivers', 'files', 'reference'] as const;

const reason = Type.String({ minLength: 1, description: 'Why; kept with the decision.' });
const force = Type.Optional(
  Type.Boolean({ default: false, description: 'Also where it would be held back, such as by quarantine. Default false.' }),
);

/** `POST …/jobs/{id}/{cancel,restart,redrive,resolve,discard}` */
export const OperatorCall = Type.Object({ reason, force }, { description: 'An operator’s call on a job.' });

/** `POST …/jobs/{id}/limits` */
export const LimitsCall = Type.Object(
  {
    reason,
    force,
    maxRetries: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Retries after the first attempt.' }),
    ),
    // A deadline beyond what dates can say could be shown in no answer.
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DEFAULT_LIMITS.durationMs,
        description: 'Hard timeout. Milliseconds, at most 400 days.',
      }),
    ),
  },
  { description: 'Changes a job’s own limits.' },
);

/** Answer to a call on a job: where it stands now. */
export const OperatorAnswer = Type.Object(
  {
    status: JobStatusWord,
    attempt: grantedAttempt,
    n: count('Number of the last decision.'),
  },
  { description: 'Where the job stands after the call.' },
);

/** `DELETE …/jobs/{id}/payload` */
export const EraseCall = Type.Object({ reason }, { description: 'Why the bodies of a job are to be erased.' });

export const EraseAnswer = Type.Object(
  {
    status: JobStatusWord,
    attempt: grantedAttempt,
    n: count('Number of the last decision.'),
    erased: ErasureView,
    already: Type.Boolean({ description: 'They had been erased before, and nothing was left: nothing was decided.' }),
    found: Type.Object(
      {
        bodies: count('Payload, snapshots, stacks and long messages.'),
        commands: count('Messages with the payload or the progress in them.'),
        progress: count('Progress that workers told.'),
        quarantined: count('Entries of the quarantine that name the job.'),
      },
      { description: 'What was erased now.' },
    ),
    outOfReach: Type.Array(
      Type.Object({
        where: oneOf(OUT_OF_REACH, { description: 'Where something of it may still be.' }),
        what: Type.String({ description: 'For people: what it is, and until when.' }),
      }),
      { description: 'What cannot be taken back.' },
    ),
  },
  { description: 'The bodies of the job are erased.' },
);

/** `PUT /v1/actions` */
export const ActionsCall = Type.Object(
  {
    enabled: Type.Boolean({ description: 'false stops every action on every replica.' }),
    reason: whyKept('Why; kept with the switch.'),
  },
  { description: 'The stop switch.' },
);

export const ActionsView = Type.Object(
  {
    enabled: Type.Boolean(),
    reason: Type.Optional(Type.String()),
    by: Type.Optional(Type.String()),
    since: Type.Optional(instant('When it was set last; left out: never.')),
    restored: Type.Optional(
      Type.String({ description: 'What shows that the database was restored: it is only observed until `jobwarden recover`.' }),
    ),
    observedUntil: Type.Optional(instant('After a recovery: nothing is decided and nothing goes out before.')),
  },
  { description: 'The stop switch as it stands.' },
);

/** `PUT /v1/clock`, of a database made with a manual clock. */
export const ClockCall = Type.Object({
  now: instant('The lane time of every lane from here on.'),
  untilDue: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Stop at the first decision that falls due on the way; the answer says where. Default false.',
    }),
  ),
});
export const ClockView = Type.Object({ now: instant('The lane time now.') });

export type OperatorCall = Static<typeof OperatorCall>;
export type LimitsCall = Static<typeof LimitsCall>;
export type EraseCall = Static<typeof EraseCall>;
export type EraseAnswer = Static<typeof EraseAnswer>;
export type OperatorAnswer = Static<typeof OperatorAnswer>;
export type ActionsCall = Static<typeof ActionsCall>;
export type ActionsView = Static<typeof ActionsView>;
export type ClockCall = Static<typeof ClockCall>;
export type ClockView = Static<typeof ClockView>;
