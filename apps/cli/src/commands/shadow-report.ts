import type { ShadowReport, ShadowReportRow } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { figure, printable, table } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface ShadowReportFlags extends ServiceOptions {
  readonly since: string;
  readonly namespace?: string;
  readonly queue?: string;
  readonly json?: boolean;
}

const HEAD = ['QUEUE', 'ACTION', 'LEVEL', 'VERDICTS', 'CONFIRMED', 'WRONG', 'OPEN', 'PRECISION', 'AT LEAST', 'NEXT'];

/** Whether Jobwarden would have been right, by queue and action. Wrong verdicts end the command with 1. */
export async function runShadowReport(flags: ShadowReportFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    terminal.err(client);
    return EXIT.refused;
  }
  const { namespace, queue, since } = flags;
  const answer = await client.get('v1/shadow-report', { namespace, queue, since });
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const report = answer.body as ShadowReport;
  const lines = flags.json === true ? [JSON.stringify(report)] : shadowLines(report, client.address);
  for (const line of lines) terminal.out(line);
  return report.rows.some((row) => row.wrong > 0) ? EXIT.differences : EXIT.fine;
}

/** The table, then for each action why, and what turned out wrong. `address`: of the service, before each link. */
export function shadowLines({ since, until, rule, rows }: ShadowReport, address: string): string[] {
  const head = `Verdicts from ${since} to ${until}`;
  if (rows.length === 0) return [`${head}: none.`];
  const { shown, rest } = { shown: rows.map(cells), rest: rows.flatMap((row) => ['', ...about(row, address)]) };
  return [`${head}.`, '', ...table(HEAD, shown), ...rest, '', `Rule for the next level: ${rule}`];
}

function cells(row: ShadowReportRow): string[] {
  const { queue, action, level, verdicts, confirmed, wrong, open, precision, lowerBound, next, suggested } = row;
  const figures = [verdicts, confirmed, wrong, open].map(figure);
  return [queue, action, level, ...figures, share(precision), share(lowerBound), suggested && next !== null ? next : '-'];
}

function about(row: ShadowReportRow, address: string): string[] {
  const { queue, action, detail, would, done, thresholds, wrongOnes } = row;
  const acts = done.requeues + done.deadLetters;
  const could = `would have: ${figure(would.requeues)} requeues, ${figure(would.retries)} retries, ${figure(would.deadLetters)} dead letters`;
  const limits = thresholds.map((t) => `${t.verdict ?? action} after ${range(t.leastMs, t.mostMs)} (${t.source}, ${figure(t.verdicts)})`);
  const lines = [
    `${queue} ${action}: ${detail}`,
    `  ${could}${acts > 0 ? `; done: ${figure(acts)}` : ''}`,
    ...(limits.length > 0 ? [`  ${limits.join('; ')}`] : []),
    ...wrongOnes.map((w) => `  wrong: ${w.id} attempt ${String(w.attempt)}, ${w.reason} at ${w.at}, heard of again by ${w.gradedAt}  ${address}${w.link}`),
  ];
  return lines.map(printable);
}

function share(value: number | null): string {
  // Never rounded up: 0.9499 is below 0.95.
  return value === null ? '-' : (Math.floor(value * 1_000) / 1_000).toFixed(3);
}

function range(leastMs: number, mostMs: number): string {
  const seconds = (ms: number) => `${String(ms / 1_000)}s`;
  return leastMs === mostMs ? seconds(leastMs) : `${seconds(leastMs)} to ${seconds(mostMs)}`;
}
