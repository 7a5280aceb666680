import type { IncidentStep } from '../incident/incident.js';
import { causeOf, type Cause } from './cause-of.js';
import { CHECKLISTS, type Checklist, type ChecklistItem, type FromData } from './checklists.js';
import type { FollowUp, PostmortemFacts, PostmortemState } from './facts.js';
import { knownOf, type Known } from './from-data.js';
import type { PostmortemTimes } from './times.js';

/**
 * What happened, from the incident's own stream and from figures; and two checklists, whose items are answered by the data or
 * left for a person. Signed when a person stands for all of it:
 *
 *   open ── every item answered, incident resolved ──► sign ──► signed (answers stay as they are; follow-ups go on)
 */
export interface Postmortem {
  readonly facts: PostmortemFacts;
  readonly summary: string;
  readonly times: PostmortemTimes;
  readonly cause: Cause | null;
  readonly timeline: readonly IncidentStep[];
  readonly checklists: readonly AnsweredChecklist[];
  readonly followUps: readonly FollowUp[];
  readonly moreFollowUps: number;
  readonly signature: PostmortemState['signature'];
  /** Why it cannot be signed yet; empty: it can, or it is. */
  readonly missing: readonly string[];
}

export interface AnsweredChecklist extends Omit<Checklist, 'items'> {
  readonly items: readonly AnsweredItem[];
}

export interface AnsweredItem {
  readonly id: string;
  readonly asks: string;
  readonly data: FromData | null;
  /** A person's word, beside that of the data or instead of it. */
  readonly person: { readonly answer: string; readonly by: string; readonly atMs: number } | null;
  /** `data`: they settle it. `open`: a person has to. */
  readonly answeredBy: 'data' | 'person' | 'open';
}

export function postmortemOf(facts: PostmortemFacts, { answers, signature, followUps, moreFollowUps }: PostmortemState): Postmortem {
  const { steps } = facts.incident;
  const known = knownOf(facts);
  const checklists = CHECKLISTS.map((list) => ({ ...list, items: list.items.map((item) => answered(item, known, answers)) }));
  const open = checklists.flatMap(({ items }) => items.filter(({ answeredBy }) => answeredBy === 'open').map(({ id }) => id));
  const missing = signature !== null ? [] : [...(known.times.resolvedMs === null ? ['resolved'] : []), ...open];
  return {
    ...{ facts, checklists, signature, missing, followUps, moreFollowUps },
    summary: steps[0]?.reason ?? '',
    times: known.times,
    cause: causeOf(steps),
    timeline: steps,
  };
}

function answered({ id, asks, knows }: ChecklistItem, known: Known, answers: PostmortemState['answers']): AnsweredItem {
  const data = knows?.(known) ?? null;
  const found = answers.find(({ item }) => item === id);
  const person = found === undefined ? null : { answer: found.answer, by: found.by, atMs: found.atMs };
  return { id, asks, data, person, answeredBy: person !== null ? 'person' : data?.settles === true ? 'data' : 'open' };
}
