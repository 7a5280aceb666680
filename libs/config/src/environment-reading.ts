import { ENVIRONMENT_VARIABLES, type VariableKey } from './environment-variables.js';
import type { Fault } from './fault.js';
import { didYouMean } from './suggest.js';

/** `process.env`, or what a test puts in its place. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads variables and gathers what is wrong with them; a faulty one reads as its default. */
export class Reading {
  readonly faults: Fault[] = [];
  readonly #env: Variables;

  constructor(env: Variables) {
    this.#env = env;
  }

  given(key: VariableKey): string | null {
    const value = this.#env[ENVIRONMENT_VARIABLES[key].name];
    return value === undefined || value.trim() === '' ? null : value.trim();
  }

  isEmpty(key: VariableKey): boolean {
    return this.#env[ENVIRONMENT_VARIABLES[key].name]?.trim() === '';
  }

  text(key: VariableKey): string {
    return this.given(key) ?? ENVIRONMENT_VARIABLES[key].fallback ?? '';
  }

  integer(key: VariableKey, min: number, max: number): number {
    const fallback = Number(ENVIRONMENT_VARIABLES[key].fallback ?? min);
    const value = this.given(key);
    if (value === null) return fallback;
    const parsed = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (parsed >= min && parsed <= max) return parsed;
    // `JOBWARDEN_HTTP_PORT=tcp://10.0.0.1:7411` is what Kubernetes makes of a Service named `jobwarden-http`.
    const mend = value.startsWith('tcp://')
      ? 'a Kubernetes Service set this; rename it, or set enableServiceLinks: false in the pod'
      : `write a number, such as ${String(fallback)}`;
    this.fault(
      key,
      'not-a-number',
      `must be a whole number from ${String(min)} to ${String(max)}, is "${shown(value)}"`,
      mend,
    );
    return fallback;
  }

  word<Word extends string>(key: VariableKey, words: readonly Word[]): Word {
    const value = this.given(key) ?? ENVIRONMENT_VARIABLES[key].fallback;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    this.unknownWord(key, value ?? '', words);
    return words[0] as Word;
  }

  unknownWord(key: VariableKey, value: string, words: readonly string[]): void {
    const guess = didYouMean(value, words);
    const mend = guess === null ? `write one of ${words.join(', ')}` : `did you mean "${guess}"?`;
    this.fault(key, 'unknown-word', `must be one of ${words.join(', ')}, is "${shown(value)}"`, mend);
  }

  fault(key: VariableKey | { readonly name: string }, code: string, rule: string, mend: string): void {
    const path = typeof key === 'string' ? ENVIRONMENT_VARIABLES[key].name : key.name;
    this.faults.push({ code, source: 'environment', path, rule, mend });
  }
}

/** Enough of a value to recognise it, without control characters. Never of a secret. */
export function shown(value: string): string {
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > 60 ? `${printable.slice(0, 60)}…` : printable;
}
