import type { PatternDetail, PatternList, PatternView, ReviewView } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { unknownQueue } from '../rest/unknown-queue.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { figure, printable, several, table } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface PatternsFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly queue?: string;
  readonly since: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

export interface PatternFlags extends ServiceOptions {
  readonly review?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

export interface ReviewFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly queue?: string;
  readonly reason?: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

const HEAD = ['ID', 'ARRIVED', 'EVER', 'MARK', 'LAST SEEN', 'QUEUE', 'KIND', 'DIED OF'];

/** Dead letters by what they died of. */
export async function runPatterns({ namespace, queue, since, limit, all = false, ...flags }: PatternsFlags, context: Context): Promise<ExitCode> {
  const ask = (client: ServiceClient) => pages(client, { namespace, queue, since }, all ? Infinity : limit, context.signal);
  const nothing = (body: unknown) => (body as PatternList).total === 0;
  return await call(flags, context, { ask, lines: (body) => patternLines(body as PatternList), nothing, of: { namespace, queue } });
}

/** One pattern; with `review` what is known of it is said first. */
export async function runPattern(id: string, { review, reason, ...flags }: PatternFlags, context: Context): Promise<ExitCode> {
  const path = `v1/dead-letters/patterns/${encodeURIComponent(id)}`;
  if ((review === undefined) !== (reason === undefined)) return refused(context, '--review and --reason go together: say what is known, and why.');
  const ask = (client: ServiceClient) => (review === undefined ? client.get(path) : post(client, `${path}/review`, { outcome: review, reason }));
  return await call(flags, context, { ask, lines: (body) => detailLines(body as PatternDetail) });
}

/** What arrived since the last review; with a reason, that it has been looked through. */
export async function runReview({ namespace, queue, reason, limit, all = false, ...flags }: ReviewFlags, context: Context): Promise<ExitCode> {
  if (reason === undefined) return await runPatterns({ ...flags, ...(namespace !== undefined && { namespace }), ...(queue !== undefined && { queue }), since: 'review', limit, all }, context);
  const path = `v1/dead-letters/reviews${namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`}`;
  const ask = (client: ServiceClient) => post(client, path, { reason, ...(queue !== undefined && { queue }) });
  const lines = (body: unknown) => {
    const review = body as ReviewView;
    return [`Reviewed by ${review.by} at ${review.at}: ${review.queue ?? 'every queue'}.`];
  };
  return await call(flags, context, { ask, lines, of: { namespace, queue } });
}

export function patternLines({ since, lastReview, arrived, total, items }: PatternList): string[] {
  const reviewed = lastReview === null ? 'never reviewed' : `last reviewed ${lastReview.at} by ${lastReview.by}: ${lastReview.reason}`;
  const from = Date.parse(since) === 0 ? 'ever' : `since ${since}`;
  const head = `${several(arrived, 'dead letter')} ${from}, of ${several(total, 'pattern')}; ${reviewed}`;
  if (items.length === 0) return [printable(head)];
  const more = items.length < total ? [`These are the first ${figure(items.length)}; --limit or --all shows more.`] : [];
  return [printable(head), '', ...table(HEAD, items.map(cells)), ...more];
}

function cells(pattern: PatternView): string[] {
  const { id, arrived, letters, mark, lastSeen, queue, kind } = pattern;
  return [id, figure(arrived), figure(letters), mark ?? pattern.review?.outcome ?? '-', lastSeen, queue, kind ?? '-', diedOf(pattern)];
}

function diedOf({ reason, class: name, message, frames }: PatternView): string {
  const what = name === null ? reason : `${name}: ${message}${reason === 'failed' ? '' : ` (${reason})`}`;
  return frames[0] === undefined ? what : `${what} in ${frames[0]}`;
}

function detailLines(pattern: PatternDetail): string[] {
  const { namespace, queue, kind, firstSeen, lastSeen, letters, mark, reviews, frames, revisions, workers, hours } = pattern;
  const shares = (of: PatternDetail['workers']) => of.map(({ name, letters: count }) => `${name ?? 'not told'} ${figure(count)}`).join(', ');
  return [
    `${namespace}/${queue}${kind === null ? '' : `, ${kind}`}: ${diedOf(pattern)}`,
    `${several(letters, 'dead letter')}, first ${firstSeen}, last ${lastSeen}${mark === null ? '' : `, ${mark}`}`,
    ...reviews.map(({ outcome, at, by, reason }) => `${outcome} ${at} by ${by}: ${reason}`),
    ...frames.map((frame) => `  at ${frame}`),
    `revisions: ${shares(revisions)}`,
    `workers: ${shares(workers)}`,
    ...hours.slice(-24).map(({ from, letters: count }) => `  ${from}  ${figure(count)}`),
  ].map(printable);
}

const PAGE = 1_000;

/** One page after the other, as one answer. */
async function pages(client: ServiceClient, query: Readonly<Record<string, string | undefined>>, most: number, signal: AbortSignal): Promise<Answer> {
  const items: PatternView[] = [];
  let next: string | undefined;
  for (;;) {
    const answer = await client.get('v1/dead-letters/patterns', { ...query, limit: String(Math.min(PAGE, most - items.length)), next });
    if (answer.kind !== 'ok') return answer;
    const page = answer.body as PatternList;
    items.push(...page.items);
    if (page.next === null || items.length >= most || signal.aborted) return { ...answer, body: { ...page, items } };
    next = page.next;
  }
}

interface Call {
  readonly ask: (client: ServiceClient) => Promise<Answer>;
  readonly lines: (body: unknown) => readonly string[];
  /** The answer says that there is nothing. */
  readonly nothing?: (body: unknown) => boolean;
  readonly of?: { readonly namespace?: string | undefined; readonly queue?: string | undefined };
}

async function call(flags: ServiceOptions & { readonly json?: boolean }, context: Context, { ask, lines, nothing, of = {} }: Call): Promise<ExitCode> {
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') return refused(context, client);
  const answer = await ask(client);
  const empty = answer.kind === 'ok' ? nothing?.(answer.body) === true : answer.kind === 'problem' && answer.code === 'queue_unknown';
  const unknown = empty ? await unknownQueue(client, of, context) : null;
  if (unknown !== null) return unknown;
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  for (const line of flags.json === true ? [JSON.stringify(answer.body)] : lines(answer.body)) context.terminal.out(line);
  return EXIT.fine;
}

async function post(client: ServiceClient, path: string, body: object): Promise<Answer> {
  return await client.send(path, { method: 'POST', contentType: 'application/json', body: JSON.stringify(body) });
}

function refused({ terminal }: Context, why: string): ExitCode {
  terminal.err(why);
  return EXIT.refused;
}
