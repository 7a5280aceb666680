import { Type, type Static } from 'typebox';
import { GATE_METRICS, GATE_REASONS, GATE_VERDICTS } from '#libs/domain';
import { count, instant, name, namespace, nullable, oneOf, queue, whyKept } from '../schemas/field.js';
import { listOf } from './problem.js';

/** `/v1/gates/canary`: whether a canary is as good as stable. */

const target = name('As the policy names it in `rollback.target`.');
const samples = (description: string) => Type.Object({ canary: count('Of the canary.'), stable: count('Of stable.') }, { description });
const share = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1 }), { description });
const chance = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const gateTest = (description: string) =>
  Type.Object(
    {
      chance: chance('At most so probable is it that this would be seen were the opposite true, however often one has looked.'),
      tellsAt: chance('It is told where `chance` is at most this.'),
    },
    { description },
  );

const scope = Type.Object(
  { target: nullable(target), namespace: nullable(namespace), queue: nullable(queue) },
  { description: 'The workers of a target, or those of a queue.' },
);

export const GateOverrideView = Type.Object(
  {
    id: Type.String({ description: 'Of the decision.' }),
    scope,
    reason: Type.String({ description: 'Why it was let through.' }),
    by: Type.String({ description: 'Who let it through.' }),
    at: instant('When, by the lane’s clock.'),
    until: instant('How long it holds.'),
    holds: Type.Boolean({ description: 'It still did at the time of the answer.' }),
  },
  { description: 'A gate that was opened by hand although a postmortem is open.' },
);

const metric = Type.Object({
  name: oneOf(GATE_METRICS, { description: '`failures`: failed or lost; `runTimes`: of attempts that succeeded.' }),
  state: oneOf(['worse', 'not-worse', 'open', 'unknown'], {
    description: '`worse`: evidence that the canary is; `not-worse`: evidence that it is not, beyond the margin; `open`: neither yet; `unknown`: nobody tells of it, and it is not waited for.',
  }),
  canary: share('Of attempts that ended; of `runTimes`, how many took longer than the median of stable. null: none ended.'),
  stable: share('The same of stable.'),
  difference: nullable(Type.Number({ minimum: -1, maximum: 1 }), { description: 'Canary less stable, each kind of work compared with itself; null: the two never met.' }),
  kind: nullable(Type.String(), { description: 'The kind of work that it is worse with, where it is one alone; of a target with several queues, behind the queue.' }),
  worse: gateTest('Evidence that the canary is worse.'),
  notWorse: gateTest('Evidence that it is not, beyond the margin.'),
});

export const CanaryGateView = Type.Object(
  {
    verdict: oneOf(GATE_VERDICTS, {
      description: '`healthy`: not worse by more than the margin. `unhealthy`: worse. Both only on evidence. `inconclusive`: neither yet. `error`: it cannot be judged.',
    }),
    pass: Type.Boolean({ description: 'It may go on: `healthy`, and nothing keeps the gate closed.' }),
    closed: Type.Array(
      Type.Object({
        code: oneOf(['postmortem_open'], { description: 'Why.' }),
        incidentIds: Type.Array(Type.String(), { description: 'Incidents whose postmortem nobody has signed; none of those that the token does not see.' }),
      }),
      { description: 'What keeps the gate closed, whatever the canary does. Empty: nothing.' },
    ),
    override: nullable(GateOverrideView, { description: 'It was opened by hand; null: it was not, or for a target and the token is bound to namespaces.' }),
    reasons: Type.Array(oneOf(GATE_REASONS), { description: 'Why, the weightiest first.' }),
    evidence: Type.Array(
      Type.Object({
        says: Type.String({ description: 'A sentence.' }),
        figures: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), { description: 'What it rests on.' }),
      }),
      { description: 'The same for people, a sentence for each metric.' },
    ),
    samples: samples('Attempts that ended in the window.'),
    needed: samples('About how many more would tell, were the canary as good as stable. 0 where it is told; without a canary the smallest sample.'),
    metrics: Type.Array(metric, { description: 'What was compared.' }),
    canary: nullable(
      Type.Object({
        revision: Type.String({ description: 'As workers report it.' }),
        track: nullable(Type.String(), { description: 'As workers report it; null: it was chosen by its revision.' }),
      }),
      { description: 'Who was judged; null: no canary was heard of.' },
    ),
    scope,
    window: Type.Object({
      since: instant('When the canary was first heard of, or its rollout began.'),
      from: instant('Beginning of the window.'),
      until: instant('Its end: of the last stretch that is over.'),
    }),
    policy: Type.Object(
      {
        alpha: chance('Of a false alarm over a whole rollout.'),
        margin: chance('As a share.'),
        runTimeFactor: nullable(Type.Number(), { description: 'null: run times are not judged.' }),
        minSample: count('Attempts of each.'),
        windowMs: count('How far it looks back.'),
      },
      { description: 'By which it was judged: of several queues the strictest of each.' },
    ),
  },
  { description: 'Whether a canary may go on, and what that rests on. Every figure is finite.' },
);

export const GateToldView = Type.Object(
  {
    ...Type.Pick(CanaryGateView, ['verdict', 'pass', 'canary', 'samples', 'needed', 'scope']).properties,
    closed: Type.Boolean({ description: 'A postmortem that nobody has signed keeps it closed.' }),
    at: instant('When it was asked about last.'),
  },
  { description: 'What a canary gate answered last.' },
);

/** What Flagger sends to a webhook. */
export const FlaggerCall = Type.Object(
  {
    name: name('Of the Canary.'),
    namespace: name('Of the Canary, in its cluster.'),
    phase: Type.Optional(Type.String({ maxLength: 64, description: 'Of the Canary, such as `Progressing`.' })),
    checksum: Type.Optional(Type.String({ maxLength: 256, description: 'Of what it was given last: a rollout begins when it changes.' })),
    metadata: Type.Optional(
      Type.Object(
        {
          target: Type.Optional(target),
          namespace: Type.Optional(namespace),
          queue: Type.Optional(queue),
          track: Type.Optional(name('Of the canary’s workers.')),
          revision: Type.Optional(name('Of the canary’s workers.')),
          baseline: Type.Optional(name('Revision that it is held against.')),
        },
        { additionalProperties: false, description: 'As it stands in the Canary; the same may stand in the address.' },
      ),
    ),
  },
  { description: 'The payload of a webhook of Flagger; further members are let be.' },
);

export const FlaggerAnswer = Type.Object(
  {
    yes: Type.Boolean({ description: 'The hook passes.' }),
    says: Type.String({ description: 'Why, for people.' }),
    gate: nullable(CanaryGateView, { description: 'null: the gate could not be asked.' }),
  },
  { description: 'What Flagger is told by the status: 200 or 403.' },
);

export const GateOverrideCall = Type.Object(
  {
    target: Type.Optional(target),
    namespace: Type.Optional(namespace),
    queue: Type.Optional(queue),
    reason: whyKept('Why it may go on before the postmortem is signed.'),
    until: instant('How long; at most seven days from now.'),
  },
  { description: 'Of a target, or of a queue.', additionalProperties: false },
);

export const GateOverrideList = listOf(GateOverrideView, 'Gates that were opened by hand, newest first.');

export type CanaryGateView = Static<typeof CanaryGateView>;
export type GateToldView = Static<typeof GateToldView>;
export type FlaggerCall = Static<typeof FlaggerCall>;
export type FlaggerAnswer = Static<typeof FlaggerAnswer>;
export type GateOverrideCall = Static<typeof GateOverrideCall>;
export type GateOverrideView = Static<typeof GateOverrideView>;
export type GateOverrideList = Static<typeof GateOverrideList>;
