import type { Shape, Tone } from '../../kit/StatusText';
import { verdictWords as words } from '../../text/events';
import { duration, visible } from '../../text/format';
import { job } from '../../text/job';
import type { Verdict } from './job-queries';

export const VERDICT_LOOKS: Readonly<Record<Verdict['grade'], readonly [Tone, Shape]>> = {
  confirmed: ['ok', 'dot'],
  wrong: ['bad', 'cross'],
  open: ['calm', 'ring'],
};

/** `Would put it back (attempt 2): lost, over the limit of its queue, 30 s`. */
export function verdictText({ attempt, evidence, verdict, threshold }: Verdict): string {
  const { verdicts } = job;
  const decision = evidence?.decision ?? '';
  const verb = isKey(words.verb, decision) && decision !== 'other' ? words.verb[decision] : words.verb.other(visible(decision));
  const n = String(attempt);
  const said = evidence?.kind === 'report' ? verdicts.reported(n) : evidence?.kind === 'act' ? verdicts.did(verb, n) : verdicts.would(verb, n);
  const why = [verdict === null ? null : words.because[verdict], threshold === null ? null : words.threshold[threshold.source](duration(threshold.ms))].filter((part) => part !== null);
  return why.length === 0 ? said : `${said}: ${why.join(', ')}`;
}

export function verdictState({ state, refusal }: Verdict): string {
  const said = words.state[state];
  if (refusal === undefined) return said;
  return `${said} (${isKey(words.refusal, refusal) ? words.refusal[refusal] : visible(refusal)})`;
}

function isKey<T extends object>(words_: T, key: string): key is string & keyof T {
  return Object.hasOwn(words_, key);
}
