import type { IncidentStepData } from '#libs/contracts';
import { pageOf, type IncidentStepType, type Page } from '#libs/domain';

/** A step of an incident as a message has it, read for a pager. */
export interface PagedStep {
  readonly page: Page;
  readonly data: IncidentStepData;
  readonly namespace: string;
  readonly atTime: string;
  /**
   * The incident's own name at the pager, the same for all of its steps. Incidents are numbered by installation, and two
   * installations may page one service: when it was opened tells them apart.
   */
  readonly key: string;
}

/** null: it is no step that a pager is told of. */
export function pagedStep(body: string): PagedStep | null {
  const { type, time, namespace, data } = JSON.parse(body) as { type: string; time: string; namespace?: string; data: IncidentStepData };
  const step = /^jobwarden\.incident\.([a-z-]+)\.v1$/u.exec(type)?.[1];
  const page = step === undefined ? null : pageOf({ type: step as IncidentStepType });
  if (page === null) return null;
  return { page, data, namespace: namespace ?? 'default', atTime: time, key: `jobwarden/${data.incidentId}/${data.openedAt}` };
}

/** A text that a receiver bounds, cut where it is too long. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // Not in the middle of a pair: half a character is none.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, characters - 1)) ? characters - 2 : characters - 1;
  return `${text.slice(0, end)}…`;
}

/** Nothing wakes a person with a wall of figures: the first ones, each in one line. */
export function figuresOf({ data }: PagedStep, most: number): readonly (readonly [string, string])[] {
  return Object.entries(data.evidence ?? {})
    .slice(0, most)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const);
}
