import type { ShadowReport, ShadowReportRow } from '#libs/contracts';
import { howMany, type Level, PROMOTION, type Promotion, promotionOf, verb, wilsonLowerBound } from '#libs/domain';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { ShadowCount, WrongExample } from '../ports/shadow-reads.port.js';
import { iso } from './time.js';

const { approve, act } = PROMOTION;
const RULE =
  `approve: ${String(approve.graded)} graded, lower bound ${String(approve.lowerBound)}; ` +
  `act: ${String(act.graded)} graded, lower bound ${String(act.lowerBound)}, and idempotent: true or claims: required. ` +
  'The bound is that of the Wilson score interval at 95 %.';

export interface ShadowFindings {
  readonly counts: readonly ShadowCount[];
  readonly wrongOnes: readonly WrongExample[];
  readonly nowMs: number;
  readonly sinceMs: number;
}

/** What verdicts amount to, by queue and action, with what they say for the level above. */
export function shadowReport({ counts, wrongOnes, nowMs, sinceMs }: ShadowFindings, policies: PolicySource): ShadowReport {
  const groups = Map.groupBy(counts, (c) => keyOf(c));
  const examples = Map.groupBy(wrongOnes, (w) => keyOf({ ...w.ref, action: w.action }));
  const rows = [...groups].map(([key, group]) => rowOf(group, examples.get(key) ?? [], policies));
  return { since: iso(Math.max(0, nowMs - sinceMs)), until: iso(nowMs), rule: RULE, rows: rows.flatMap((row) => row ?? []) };
}

function keyOf({ namespace, queue, action }: Pick<ShadowCount, 'namespace' | 'queue' | 'action'>): string {
  return `${namespace}\0${queue}\0${action}`;
}

function rowOf(group: readonly ShadowCount[], wrongOnes: readonly WrongExample[], policies: PolicySource): ShadowReportRow | null {
  const [first] = group;
  if (first === undefined) return null;
  const { namespace, queue, action } = first;
  const { policy, levels } = policies.policyFor({ namespace, queue }, null);
  // What follows from an approval is graded as the would-have that it followed from, and not a second time.
  const graded = group.filter((c) => c.kind === 'would-have' || c.level === 'act');
  const of = (grade: ShadowCount['grade']): number => sum(graded.filter((c) => c.grade === grade));
  const [confirmed, wrong] = [of('confirmed'), of('wrong')];
  const lowerBound = wilsonLowerBound({ confirmed, wrong });
  const level = levels[action];
  const promotion = promotionOf(level, { confirmed, wrong }, policy.idempotent || policy.claims === 'required');
  return {
    ...{ namespace, queue, action, level },
    ...{ verdicts: sum(graded), confirmed, wrong, open: of('open') },
    precision: confirmed + wrong === 0 ? null : confirmed / (confirmed + wrong),
    lowerBound,
    would: decided(group.filter((c) => c.kind === 'would-have')),
    done: decided(group.filter((c) => c.kind === 'act')),
    thresholds: thresholdsOf(graded),
    wrongOnes: wrongOnes.map(wrongView),
    next: promotion.next,
    suggested: promotion.code === 'met',
    code: promotion.code,
    detail: detailOf(promotion, level, confirmed + wrong, lowerBound ?? 0),
  };
}

function sum(counts: readonly ShadowCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function decided(counts: readonly ShadowCount[]): ShadowReportRow['would'] {
  const of = (...decisions: readonly string[]) => sum(counts.filter((c) => decisions.includes(c.decision)));
  return {
    requeues: of('restart-requested', 'requeued', 'republished', 'held-incomplete'),
    retries: of('retry-scheduled'),
    deadLetters: of('dead-lettered'),
  };
}

function thresholdsOf(counts: readonly ShadowCount[]): ShadowReportRow['thresholds'] {
  const known = counts.filter((c) => c.thresholdSource !== null);
  return [...Map.groupBy(known, (c) => `${String(c.verdict)}/${String(c.thresholdSource)}`).values()].map((group) => ({
    verdict: group[0]?.verdict ?? null,
    source: group[0]?.thresholdSource ?? 'default',
    leastMs: Math.min(...group.map((c) => c.leastMs ?? 0)),
    mostMs: Math.max(...group.map((c) => c.mostMs ?? 0)),
    verdicts: sum(group),
  }));
}

function wrongView(one: WrongExample): ShadowReportRow['wrongOnes'][number] {
  const { id: verdictId, ref, attempt, kind, reason, thresholdSource: source, thresholdMs: ms, firstMs, gradedMs } = one;
  const { namespace, queue, id } = ref;
  const link = `/v1/jobs/one?${new URLSearchParams({ namespace, queue, id }).toString()}`;
  const threshold = source === null || ms === null ? null : { source, ms };
  return { verdictId, id, attempt, kind, reason, threshold, at: iso(firstMs), gradedAt: iso(gradedMs), link };
}

function detailOf({ next, code }: Promotion, level: Level, graded: number, bound: number): string {
  if (next === null) return 'it is at act; one wrong act takes it back to observe, unless fallback is off';
  const rule = PROMOTION[next];
  switch (code) {
    case 'too_few':
      return `${level} → ${next} wants ${howMany(rule.graded, 'graded verdict')}; there ${verb(graded, 'is', 'are')} ${String(graded)}`;
    case 'bound_too_low':
      return `${level} → ${next} wants a lower bound of ${String(rule.lowerBound)}; it is ${bound.toFixed(3)} of ${String(graded)} graded`;
    case 'unsafe':
      return 'act needs claims: required or idempotent: true in the policy: a job that runs twice would do harm';
    case 'met':
    case 'at_act':
      return `${level} → ${next}: ${String(graded)} graded, lower bound ${bound.toFixed(3)}`;
  }
}
