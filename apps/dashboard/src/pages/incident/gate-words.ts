import type { Shape, Tone } from '../../kit/StatusText';
import { count } from '../../text/format';
import { incident } from '../../text/incident';
import type { Gate } from './incident-queries';

const { gate: text } = incident;

export interface GateWords {
  readonly verdict: string;
  readonly look: readonly [Tone, Shape];
  /** What that means for a rollout, and what is still needed; the weightiest first. */
  readonly says: readonly string[];
}

const LOOKS: Readonly<Record<Gate['verdict'], readonly [Tone, Shape]>> = {
  healthy: ['ok', 'dot'],
  unhealthy: ['bad', 'cross'],
  inconclusive: ['calm', 'ring'],
  error: ['warn', 'eye'],
};

/** The gate's answer in words. A closed gate is told of whatever the canary does: it has to be opened as well. */
export function gateWords({ verdict, pass, closed, reasons, needed }: Pick<Gate, 'verdict' | 'pass' | 'closed' | 'reasons' | 'needed'>): GateWords {
  if (reasons.includes('no_canary_traffic')) return { verdict: text.noCanary, look: ['calm', 'ring'], says: [text.reason.no_canary_traffic, closed.length > 0 ? text.closedToo : text.noCanaryText] };
  const why = reasons.filter((reason) => !TOLD.has(reason)).map((reason) => text.reason[reason]);
  const wants = verdict === 'inconclusive' && needed.canary + needed.stable > 0 ? [text.needed(howMany(needed.canary), howMany(needed.stable))] : [];
  const gate = closed.length > 0 ? [verdict === 'healthy' ? text.closedAlone : text.closedToo] : [];
  return { verdict: text.verdict[verdict], look: LOOKS[verdict], says: [pass ? text.passes : text.rollout[verdict], ...gate, ...why, ...wants] };
}

const howMany = (n: number): string => (n === 1 ? text.attempt : text.attempts(count(n)));

/** What the verdict itself says already. */
const TOLD: ReadonlySet<Gate['reasons'][number]> = new Set(['not_worse', 'more_samples_needed']);
