import { InvalidArgumentError, Option, type Command } from 'commander';
import { MAX_DURATION_MS, parseDuration } from '#libs/config';
import { DEFAULT_URL } from './rest/client.js';

/** Options that several commands share, and how their values are read. */

export function serviceOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where the service listens', DEFAULT_URL)
    .option('--token-file <file>', 'a file with an API token');
}

export function namespaced(command: Command): Command {
  return command.option('--namespace <namespace>', 'another namespace than the default one');
}

export function listOptions(command: Command): Command {
  return namespaced(serviceOptions(command))
    .addOption(new Option('--limit <n>', 'how many at most').argParser(wholeFrom(1)).default(100))
    .option('--all', 'all of them')
    .addOption(json());
}

export function json(): Option {
  return new Option('--json', 'print one JSON document, for programs');
}

export function wholeFrom(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/u.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `Give a whole number from ${least}.`
        : `Give a whole number from ${least} to ${most}.`,
    );
  };
}

export function milliseconds(text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text);
  if (ms !== null && ms <= MAX_DURATION_MS) return ms;
  throw new InvalidArgumentError('Give a duration up to 400d, such as 500ms, 30s or 1h.');
}

export function repeated(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
