import type { Fault } from './fault.js';
import type { Place } from './yaml-tree.js';

/** Gathers the faults of one file. The same fault at the same place is one fault, however many inherit it. */
export class FaultLog {
  readonly source: string;
  readonly #faults = new Map<string, Fault>();

  constructor(source: string) {
    this.source = source;
  }

  get faults(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  get count(): number {
    return this.#faults.size;
  }

  add(code: string, place: Place, path: string, rule: string, mend: string): void {
    const key = `${code} ${String(place.line)}:${String(place.column)} ${path}`;
    if (this.#faults.has(key)) return;
    this.#faults.set(key, { code, source: this.source, line: place.line, column: place.column, path, rule, mend });
  }
}
