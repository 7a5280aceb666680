import type { components } from '../../api/generated/schema';
import { common } from '../../text/common';
import type { jobs } from '../../text/jobs';

export type JobSummary = components['schemas']['JobSummary'];
export type Status = JobSummary['status'];

export interface Filters {
  readonly id?: string;
  readonly queue?: string;
  readonly status?: Status;
  readonly kind?: string;
  readonly worker?: string;
  /** RFC 3339. */
  readonly since?: string;
}

const NAMES = ['id', 'queue', 'status', 'kind', 'worker', 'since'] as const;

/** Filters as the address has them. A status or an instant that is none is left out: a link must not lead to an error. */
export function filtersOf(query: URLSearchParams): Filters {
  const found = NAMES.flatMap((name): readonly (readonly [string, string])[] => {
    const value = query.get(name);
    if (value === null || value === '') return [];
    if (name === 'status' && !Object.hasOwn(common.status, value)) return [];
    if (name === 'since' && Number.isNaN(Date.parse(value))) return [];
    return [[name, name === 'since' ? new Date(value).toISOString() : value]];
  });
  return Object.fromEntries(found);
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;

export type Within = keyof typeof jobs.filter.within;

const WITHIN_MS: Readonly<Record<Within, number>> = { '15m': 900_000, '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000 };
export const WITHIN = Object.keys(WITHIN_MS) as readonly Within[];

/** From now back, as an instant: a link then shows to others what its sender saw. To the minute, so that it can be read. */
export function sinceOf(within: Within, nowMs: number): string {
  const ms = nowMs - WITHIN_MS[within];
  return new Date(ms - (ms % 60_000)).toISOString();
}
