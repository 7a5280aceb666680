import type { Step } from './incident-queries';

export interface FigureChange {
  readonly name: string;
  /** null: nothing was known of it. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What was before and what is after, by what the steps of a stage carry: the last word on each counts. Only plain values. */
export function changesOf(steps: readonly Step[]): readonly FigureChange[] {
  const before = merged(steps, 'before');
  const after = merged(steps, 'after');
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }));
}

function merged(steps: readonly Step[], which: 'before' | 'after'): Readonly<Record<string, unknown>> {
  return Object.fromEntries(steps.flatMap(({ evidence }) => Object.entries(record(evidence?.[which])).filter(([, value]) => isPlain(value))));
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

export interface Share {
  readonly percent: number;
  readonly fellBack: boolean;
}

/** The shares that were let in, in their order. */
export function sharesOf(steps: readonly Step[]): readonly Share[] {
  return steps.flatMap(({ type, evidence }) => {
    const percent = evidence?.['percent'];
    if (typeof percent !== 'number' || (type !== 'readmitting' && type !== 'readmission-fell-back')) return [];
    return [{ percent, fellBack: type === 'readmission-fell-back' }];
  });
}
