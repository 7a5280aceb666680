import type { Page, PageOf } from '#libs/application';
import { TerminalError } from '#libs/application';

/**
 * Pages by key. A statement is asked for one row more than the page holds: whether there is a next page is then known
 * without a count.
 */
export function onePast(page: Page): number {
  return page.limit + 1;
}

export function paged<R, T>(rows: readonly R[], page: Page, keyOf: (row: R) => string, map: (row: R) => T): PageOf<T> {
  const shown = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? shown.at(-1) : undefined;
  return { items: shown.map(map), next: last === undefined ? null : keyOf(last) };
}

export function invalidCursor(): TerminalError {
  return new TerminalError('cursor_invalid', 'no page of this list gave this cursor; begin again without it');
}

/** A key that is a whole number, such as an identity column's. */
export function numberAfter(page: Page): number | null {
  if (page.after === null) return null;
  if (!/^\d{1,15}$/.test(page.after)) throw invalidCursor();
  return Number(page.after);
}

/** A key that is 16 bytes as hex. */
export function keyAfter(page: Page): Buffer | null {
  if (page.after === null) return null;
  if (!/^[0-9a-f]{32}$/.test(page.after)) throw invalidCursor();
  return Buffer.from(page.after, 'hex');
}

/** Id of a row from a path; null where it cannot be one. */
export function rowId(id: string): number | null {
  return /^\d{1,15}$/.test(id) ? Number(id) : null;
}

/** Collects conditions with their parameters. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[];

  constructor(...fixed: readonly string[]) {
    this.parts = [...fixed];
  }

  /** `$` stands for the parameter. Without a value the condition is left out. */
  add(condition: string, value: unknown): this {
    if (value === undefined || value === null) return this;
    this.parts.push(condition.replaceAll('$', this.param(value)));
    return this;
  }

  /** A condition whose parameters have their names already. */
  having(condition: string): this {
    this.parts.push(condition);
    return this;
  }

  /** Adds a parameter, and answers its name. */
  param(value: unknown): string {
    this.values.push(value);
    return `$${String(this.values.length)}`;
  }

  get where(): string {
    return this.parts.length === 0 ? '' : `WHERE ${this.parts.join('\n  AND ')}`;
  }
}
