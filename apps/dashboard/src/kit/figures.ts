import { figureWords, percent, perMinute } from '../text/figures';
import { count, duration, ratio, visible } from '../text/format';

/** A figure as the API has it: some are words, some are numbers with many places. */
export function figureText(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : String(Math.round(value * 1_000) / 1_000);
  return typeof value === 'string' ? visible(value) : visible(JSON.stringify(value));
}

/** `othersKept` → `others kept`: names of figures are made of words. */
const figureName = (name: string): string => visible(name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, ' ').toLowerCase());

const UNITS = {
  share: ratio,
  percent: (value: number) => percent(figureText(value)),
  ms: duration,
  seconds: (value: number) => duration(value * 1_000),
  perMinute: (value: number) => perMinute(figureText(value)),
} as const;

/** `failed or lost: 41, share failed or lost: 93 %`: behind a sentence, what it rests on. */
export function figuresText(figures: Readonly<Record<string, unknown>>): string {
  return Object.entries(figures)
    .map(([name, value]) => {
      const [words, unit] = Object.hasOwn(figureWords, name) ? (figureWords[name] ?? []) : [];
      if (words === undefined) return `${figureName(name)} ${figureText(value)}`;
      return `${words}: ${unit !== undefined && typeof value === 'number' ? UNITS[unit](value) : figureText(value)}`;
    })
    .join(', ');
}
