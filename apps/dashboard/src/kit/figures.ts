import { count, visible } from '../text/format';

/** A figure as the API has it: some are words, some are numbers with many places. */
export function figureText(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : String(Math.round(value * 1_000) / 1_000);
  return typeof value === 'string' ? visible(value) : visible(JSON.stringify(value));
}

/** `othersBad` → `others bad`: names of figures are made of words. */
export const figureName = (name: string): string => visible(name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, ' ').toLowerCase());

/** `bad 41, ended 50`: behind a sentence, what it rests on. */
export function figuresText(figures: Readonly<Record<string, unknown>>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${figureName(name)} ${figureText(value)}`)
    .join(', ');
}
