import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import type { Count, Figure, FigureResult } from './figure.js';
import { shown } from './figure.js';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
}

export function machine(postgres: string): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    postgres,
  };
}

export function machineLine(m: Machine): string {
  return `${String(m.cores)} cores (${m.cpu}), ${String(m.memoryGiB)} GiB, ${m.system}, node ${m.node}, PostgreSQL ${m.postgres} (embedded, default settings)`;
}

export interface Told {
  readonly figure: Figure;
  readonly result: FigureResult;
  readonly seconds: number;
}

export function figureText({ figure, result, seconds }: Told): string {
  const { method, lines, raw, counts } = result;
  return [
    `\n${figure.title}  [${figure.name}, ${shown(seconds)} s]`,
    ...lines.map((line) => `  ${line}`),
    ...raw.map(({ of, unit, values }) => `    ${of}, ${unit}: ${values.map((v) => shown(v, v < 10 ? 2 : 0)).join(' ')}`),
    ...method.map((line, i) => `  ${i === 0 ? 'method: ' : '        '}${line}`),
    ...countLines(counts),
  ].join('\n');
}

/** All of them when one is missed, else how many there are. */
function countLines(counts: readonly Count[]): string[] {
  const wrong = missed(counts);
  if (wrong.length === 0) return counts.length === 0 ? [] : [`  counts: all ${String(counts.length)} as expected`];
  return counts.map((c) => `  ${c.found === c.expected ? 'ok' : 'MISSED'}: ${c.of}: expected ${shown(c.expected)}, found ${shown(c.found)}`);
}

export function missed(counts: readonly Count[]): readonly Count[] {
  return counts.filter((c) => c.expected !== c.found);
}

export function json(facts: Machine, quick: boolean, told: readonly Told[]): string {
  const figures = told.map(({ figure, result, seconds }) => ({ name: figure.name, title: figure.title, seconds, ...result }));
  return `${JSON.stringify({ at: new Date().toISOString(), quick, machine: facts, figures }, null, 2)}\n`;
}
