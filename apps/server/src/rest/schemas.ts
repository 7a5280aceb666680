import { Type } from 'typebox';
import { IngestResult, JobStatusWord, ReconciliationList, VERDICT_KINDS, VERDICT_STATES } from '#libs/contracts';
import { ACTIONS, CAUSES, INCIDENT_STATUSES, LEVELS, VERDICTS } from '#libs/domain';
import { MENDS, PRESET_NAMES, SIGNAL_STATES } from '#libs/application';

/** Queries and answers of the routes that the contract's schemas do not hold as they are. */

const namespace = Type.Optional(Type.String({ default: 'default', description: 'Only this namespace.' }));
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Items per page.' }));
const next = Type.Optional(Type.String({ description: 'From the page before.' }));
const queue = Type.Optional(Type.String({ description: 'Only this queue.' }));
const jobId = Type.Optional(Type.String({ description: 'Only of the job with this id; with `queue` it is one job at most.' }));

export const OptionalNamespaceQuery = Type.Object({
  namespace: Type.Optional(Type.String({ description: 'Only this namespace; left out: every one that the token sees.' })),
});
export const NamespaceQuery = Type.Object({ namespace });
export const PageQuery = Type.Object({ namespace, limit, next });
export const QueuePageQuery = Type.Object({ namespace, limit, next, queue });
export const InvalidationsQuery = Type.Object({ namespace, limit, next, queue, id: jobId });
export const QueueQuery = Type.Object({ namespace, queue });
const track = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description: 'Workers of this track are the canary, the newest release of them. Default: `canary`.' }));
const canaryRevision = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description: 'Workers of this release are the canary, whatever their track.' }));
const gateScope = {
  namespace,
  target: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description: 'Judges the queues whose policy names this target. This, or `queue`.' })),
  queue: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description: 'Judges this queue.' })),
  track,
  revision: canaryRevision,
  baseline: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description: 'Held against this release only. Default: against all that are not the canary.' })),
};
export const CanaryGateQuery = Type.Object({
  ...gateScope,
  since: Type.Optional(Type.String({ format: 'date-time', description: 'The rollout began then: what canaries did before does not count.' })),
  form: Type.Optional(
    Type.Union([Type.Literal('plain'), Type.Literal('argo')], {
      default: 'plain',
      description: '`plain`: the status tells the verdict. `argo`: always 200, for the web metric of Argo Rollouts.',
    }),
  ),
});
export const FlaggerQuery = Type.Object(gateScope);
export const GateOverridesQuery = Type.Object({ namespace: Type.Optional(Type.String({ description: 'Only this namespace.' })), limit, next });
export const EvidenceQuery = Type.Object({ incident: Type.String({ description: 'Id of the incident.' }) });
export const RefusalsQuery = Type.Object({
  namespace,
  limit,
  next,
  queue,
  revision: Type.Optional(Type.String({ description: 'Only this release.' })),
});
export const StreamQuery = Type.Object({
  namespace,
  queue,
  from: Type.Optional(
    Type.Union([Type.Literal('now'), Type.Literal('start')], {
      default: 'now',
      description:
        'Where to begin without `Last-Event-ID`: with what comes from now on, or with the oldest that is kept.',
    }),
  ),
});

/** Names of a job where the path does not carry them. */
const jobQuery = {
  namespace,
  queue: Type.Optional(Type.String({ description: 'Queue of the job, where the path is `/v1/jobs/one`.' })),
  id: Type.Optional(Type.String({ description: 'Id of the job, where the path is `/v1/jobs/one`.' })),
};
export const OneQueueQuery = Type.Object({
  namespace,
  queue: Type.Optional(Type.String({ description: 'Name of the queue, where the path is `/v1/queue`.' })),
});
export const OneJobQuery = Type.Object(jobQuery);
export const OneJobPageQuery = Type.Object({ ...jobQuery, limit, next });
const deadLetter = {
  namespace,
  queue: Type.String({ description: 'Queue of the job.' }),
  id: Type.String({ description: 'Id of the job.' }),
};
export const DeadLetterQuery = Type.Object(deadLetter);
export const DeadLettersQuery = Type.Object({ namespace, limit, next, queue, kind: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description: 'Only jobs of this kind.' })) });
export const FixtureQuery = Type.Object({
  ...deadLetter,
  attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'Whose failure, and whose payload. Left out: the first that said why it ended.' })),
});

const words = (values: readonly string[], description: string) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  );

export const RunsQuery = Type.Object({
  namespace,
  limit,
  next,
  queue,
  verdict: words(VERDICTS, 'Only runs with a row of this verdict; only those rows are shown.'),
});

export const CompareQuery = Type.Object({
  namespace,
  queue: Type.Optional(Type.String({ description: 'Of lines that name none; with `complete` the queue that is listed.' })),
  complete: Type.Optional(
    Type.Boolean({ description: 'The list names all of `queue` that is not finished: what it does not name is a difference.' }),
  ),
  map: Type.Optional(
    Type.String({ description: 'What their words mean: `active:processing,completed:succeeded`. Our own need no mapping.' }),
  ),
  preset: words(PRESET_NAMES, 'Their words are those of this queue.'),
  asOf: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When the list was made, by the lane’s clock; left out: just now. What changed since is no difference.',
    }),
  ),
  mend: words(MENDS, 'invalidate: send the cache keys of what is theirs_behind again. requeue: restart what they do not run.'),
  reason: Type.Optional(Type.String({ description: 'Why; needed with `mend`, and kept with each decision.' })),
});

export const VerdictsQuery = Type.Object({
  namespace,
  limit,
  next,
  queue,
  id: jobId,
  verdict: words(VERDICTS, 'Only this verdict.'),
  grade: words(['open', 'confirmed', 'wrong'], 'Only what later facts made this of.'),
  kind: words(VERDICT_KINDS, 'Would-haves, reports such as starved ones, or acts that may prove wrong.'),
  action: words(ACTIONS, 'Only of this action.'),
  state: words(VERDICT_STATES, 'Only those that stand like this; `proposed` waits for an approval.'),
});

export const ShadowQuery = Type.Object({
  namespace,
  queue,
  since: Type.Optional(Type.String({ default: '24h', description: 'How far back, such as `24h` or `7d`; 90 days at most.' })),
});

export const QuarantineQuery = Type.Object({
  namespace: Type.Optional(
    Type.String({ description: 'Only this namespace; left out: every one that the token sees.' }),
  ),
  limit,
  next,
  queue,
  state: words(['open', 'replayed', 'dismissed'], 'Only entries in this state.'),
  reason: Type.Optional(Type.String({ description: 'Only this reason.' })),
});

export const IncidentsQuery = Type.Object({
  namespace: Type.Optional(
    Type.String({ description: 'Only of this namespace; left out: all that the token sees.' }),
  ),
  limit,
  next,
  queue,
  status: words(INCIDENT_STATUSES, 'Only those that stand like this.'),
  kind: Type.Optional(Type.String({ description: 'Only this kind, such as `lane_out_of_range`.' })),
  cause: words(CAUSES, 'Only what comes from this, as it was assessed last.'),
});

/** Of a link that approves. */
export const ApprovalQuery = Type.Object({
  request: Type.Integer({ minimum: 1, description: 'Number of the step that asks.' }),
  expires: Type.Integer({ minimum: 0, description: 'When it is worth nothing any more, ms since 1970.' }),
  by: Type.String({ description: 'Who had the link made.' }),
  signature: Type.String({ description: 'Over all of it.' }),
});

export const SignalsQuery = Type.Object({
  namespace: Type.Optional(Type.String({ description: 'Only of this namespace; left out: all that the token sees.' })),
  limit,
  next,
  queue,
  state: words(SIGNAL_STATES, '`open`: nothing has come of it yet; `standing`: an incident has it, and it goes on; `settled`: it leads to nothing.'),
});

export const MaintenanceQuery = Type.Object({
  namespace: Type.Optional(Type.String({ description: 'Only windows of this namespace; left out: all that the token sees.' })),
  limit,
  next,
});

export const PostmortemQuery = Type.Object({
  format: words(['json', 'markdown'], 'As what it is answered; left out: as `Accept` says.'),
});

export const FollowUpsQuery = Type.Object({
  namespace: Type.Optional(Type.String({ description: 'Only of this namespace; left out: all that the token sees.' })),
  limit,
  next,
  incident: Type.Optional(Type.String({ description: 'Only of this incident.' })),
  done: Type.Optional(Type.Boolean({ default: false, description: 'What has been done, instead of what is still to be done.' })),
});

export const PatternsQuery = Type.Object({
  namespace,
  queue,
  since: Type.Optional(
    Type.String({ default: '24h', description: 'What counts as arrived: a duration such as `24h`, in whole hours; `review`: since the last review, and nothing else.' }),
  ),
  marked: Type.Optional(Type.Boolean({ default: false, description: 'Only those that are new, or were said to be fixed and came back.' })),
  limit,
  next,
});

/** The namespace is the pattern's. */
export const PatternPageQuery = Type.Object({ limit, next });

export const PoliciesQuery = Type.Object({
  namespace: Type.Optional(
    Type.String({ description: 'Only this namespace; left out: every one that the token sees.' }),
  ),
  queue: Type.Optional(Type.String({ description: 'Only what holds for this queue, named in the file or not.' })),
});

export const NextDue = Type.Array(
  Type.Object({
    waitsFor: Type.String({ description: 'What is waited for.' }),
    at: Type.String({ format: 'date-time', description: 'When the first of them is due, by the lane’s clock.' }),
    jobs: Type.Integer({ minimum: 0, description: 'Jobs that wait for it.' }),
  }),
  { description: 'What falls due next, by what it waits for, of the whole installation: where to set a manual clock.' },
);

export const RunList = Type.Object(
  {
    ...ReconciliationList.properties,
    nextDue: NextDue,
    unresolved: Type.Integer({
      minimum: 0,
      description: 'Verdicts that are overdue for two looks and more, and not given.',
    }),
    oldestUnresolvedMs: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'How long the oldest of them is overdue.',
    }),
  },
  { description: 'Runs of the reconciler, newest first, and what is due next.' },
);

export const Summary = Type.Object(
  {
    namespace: Type.String(),
    queue: Type.String(),
    id: Type.String(),
    status: JobStatusWord,
    attempt: Type.Integer(),
    token: Type.Integer(),
    since: Type.String({ format: 'date-time' }),
  },
  { description: 'What is left of a job below the retention line.' },
);

export const LevelsView = Type.Object(
  {
    namespace: Type.String(),
    queue: Type.String(),
    levels: Type.Record(
      Type.String({ pattern: `^(${ACTIONS.join('|')})$` }),
      Type.Union(LEVELS.map((level) => Type.Literal(level))),
    ),
    overrides: Type.Array(
      Type.Object({
        action: Type.String(),
        level: Type.String(),
        fileLevel: Type.String({
          description: 'The file’s value when it was set: the override wins until that changes.',
        }),
        inForce: Type.Boolean(),
        reason: Type.String(),
        by: Type.String(),
        at: Type.String({ format: 'date-time' }),
      }),
    ),
  },
  { description: 'Levels in force, and what operators set over the policy file’s.' },
);

export const QuarantineAnswer = Type.Object(
  {
    state: Type.String({ description: 'open, replayed or dismissed.' }),
    reason: Type.Optional(Type.String({ description: 'Why it is still open.' })),
    detail: Type.Optional(Type.String()),
    results: Type.Array(Type.Partial(IngestResult), { description: 'What intake said of each event.' }),
  },
  { description: 'How the entry stands now.' },
);

export const RetryAnswer = Type.Object({ retried: Type.Boolean() }, { description: 'It will be tried again soon.' });
export const Health = Type.Object({ status: Type.String() }, { description: 'Alive.' });

/** Names by which the document refers to schemas of this file. */
export const SERVER_SCHEMAS = { RunList, NextDue, Summary, LevelsView, QuarantineAnswer };
