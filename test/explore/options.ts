import { parseArgs } from 'node:util';
import { VARIANTS, type Variant } from './variants.js';

export interface Options {
  readonly bound: number;
  /** Explore the real code. */
  readonly real: boolean;
  readonly variants: readonly Variant[];
  /** Print the trace of each variant. */
  readonly words: boolean;
}

const USAGE = `usage: npm run explore [-- --bound N] [--variant NAME] [--all]
  --bound N       how far: 1 in seconds, 2 in CI (default), 3 and more for a long run
  --variant NAME  only this broken variant, with its trace in words
  --all           the trace of every broken variant as well
variants: ${VARIANTS.map((v) => v.name).join(', ')}`;

/** A text says what is wrong with them. */
export function optionsOf(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { bound: { type: 'string', default: '2' }, variant: { type: 'string' }, all: { type: 'boolean', default: false } },
    });
    const bound = Number(values.bound);
    if (!Number.isInteger(bound) || bound < 1 || bound > 6) return USAGE;
    if (values.variant === undefined) return { bound, real: true, variants: VARIANTS, words: values.all };
    const variants = VARIANTS.filter((v) => v.name === values.variant);
    return variants.length === 0 ? USAGE : { bound, real: false, variants, words: true };
  } catch {
    return USAGE;
  }
}
