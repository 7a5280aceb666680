import type { components } from '../api/generated/schema';
import { verdictWords as words } from '../text/events';
import { duration, visible } from '../text/format';
import { job } from '../text/job';
import type { Shape, Tone } from './StatusText';

export type Verdict = components['schemas']['VerdictView'];

export const VERDICT_LOOKS: Readonly<Record<Verdict['grade'], readonly [Tone, Shape]>> = {
  confirmed: ['ok', 'dot'],
  wrong: ['bad', 'cross'],
  open: ['calm', 'ring'],
};

/** `Attempt 2: Jobwarden would put it back, as it is lost (longer than the limit of its queue, 30 s)`. */
export function verdictText(found: Verdict): string {
  return job.verdicts.of(String(found.attempt), whatOf(found));
}

/** The same without the attempt, where it is the one that one looks at. */
export function whatOf({ evidence, verdict, threshold }: Pick<Verdict, 'evidence' | 'verdict' | 'threshold'>): string {
  if (evidence?.kind === 'report') return words.starved;
  const said = phrase(evidence?.kind === 'act' ? words.did : words.would, evidence?.decision ?? '');
  const limit = threshold === null ? '' : ` (${words.threshold[threshold.source](duration(threshold.ms))})`;
  return verdict === null ? `${said}${limit}` : job.verdicts.because(said, `${words.because[verdict]}${limit}`);
}

function phrase(among: typeof words.did | typeof words.would, decision: string): string {
  const known: unknown = Object.hasOwn(among, decision) && decision !== 'other' ? among[decision as keyof typeof among] : null;
  return typeof known === 'string' ? known : among.other(visible(decision));
}

export function verdictState({ state, refusal }: Verdict): string {
  const said = words.state[state];
  if (refusal === undefined) return said;
  return `${said} (${isKey(words.refusal, refusal) ? words.refusal[refusal] : visible(refusal)})`;
}

function isKey<T extends object>(words_: T, key: string): key is string & keyof T {
  return Object.hasOwn(words_, key);
}
