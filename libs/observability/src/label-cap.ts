import { createHash } from 'node:crypto';

/** Where everything beyond the cap is counted together. */
export const OTHER = 'other';

const MAX_LENGTH = 128;

/**
 * Bounds the values of one label. Each distinct value is a time series in every metric that has the label,
 * and names come from outside: the first `cap` of them keep their own, the rest share `other`. First come
 * is kept until the process ends, so that a series never changes its meaning while it is scraped.
 */
export class LabelCap {
  readonly #cap: number;
  readonly #known = new Map<string, string>();
  readonly #labels = new Set<string>();

  constructor(cap: number) {
    this.#cap = cap;
  }

  /** Labels in use, without `other`. */
  get size(): number {
    return this.#labels.size;
  }

  labelOf(name: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const label = sanitiseLabel(name);
    if (label === OTHER) return OTHER;
    // Two names may share a sanitised label, so both are bounded: what is remembered, and what is shown.
    if (!this.#labels.has(label) && this.#labels.size >= this.#cap) return OTHER;
    this.#labels.add(label);
    if (this.#known.size < 2 * this.#cap) this.#known.set(name, label);
    return label;
  }
}

/**
 * A label that is safe to show: no control characters or broken surrogates, not overlong, never empty (to
 * Prometheus an empty label is an absent one). A hash keeps apart what was cut.
 */
export function sanitiseLabel(name: string): string {
  if (name === '') return '(empty)';
  const clean = name.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  if (clean.length <= MAX_LENGTH && clean === name) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${clean.slice(0, MAX_LENGTH - 9).toWellFormed()}~${hash}`;
}
