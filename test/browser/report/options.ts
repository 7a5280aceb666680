import { parseArgs } from 'node:util';

export interface ReportOptions {
  readonly help: boolean;
  readonly queues: number;
  readonly jobs: number;
}

export const USAGE = `npm run report:dashboard -- [options]

  --queues N   queues; default 500
  --jobs N     jobs, spread over them; default 1,000,000 (a minute or two to take in)
  --help       this text`;

/** Throws with what is wrong. */
export function readOptions(args: readonly string[]): ReportOptions {
  const { values } = parseArgs({ args: [...args], options: { queues: { type: 'string' }, jobs: { type: 'string' }, help: { type: 'boolean' } } });
  const whole = (name: string, given: string | undefined, fallback: number): number => {
    const value = given === undefined ? fallback : Number(given);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1 on`);
    return value;
  };
  return { help: values.help ?? false, queues: whole('queues', values.queues, 500), jobs: whole('jobs', values.jobs, 1_000_000) };
}
