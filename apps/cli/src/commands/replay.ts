import { accessSync, constants } from 'node:fs';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { batches, type Batch } from '../replay/batches.js';
import { EventOrder } from '../replay/event-order.js';
import { csvColumns, type HistoryFormat } from '../replay/history.js';
import { columnsOf, readMapping, type Mapping } from '../replay/mapping.js';
import { Sender, type Sent, type Tally } from '../replay/sender.js';
import { eventsInOrder, survey, type Survey } from '../replay/survey.js';
import { noAnswer, ServiceClient, type ServiceOptions } from '../rest/client.js';
import { Progress } from '../terminal/progress.js';
import { figure, printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface ReplayFlags extends ServiceOptions {
  readonly format: HistoryFormat;
  readonly map: readonly string[];
  readonly dryRun?: boolean;
  /** Events in a batch. */
  readonly batch: number;
  readonly driveClockMs?: number;
  readonly patienceMs: number;
  readonly json?: boolean;
}

/** Under the service's limit of 1 MiB, with room for what a proxy adds. */
const BATCH_BYTES = 900_000;

export async function runReplay(file: string, flags: ReplayFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const mapping = await checkedMapping(file, flags);
  if (!mapping.ok) {
    for (const fault of mapping.faults) terminal.err(fault);
    return EXIT.refused;
  }
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string') {
    terminal.err(client);
    return EXIT.refused;
  }
  const found = await survey(file, flags.format, mapping.value);
  tellBadLines(found, context);
  if (flags.dryRun === true) {
    if (flags.json === true) terminal.out(JSON.stringify({ dryRun: true, ...surveyJson(found) }));
    else tellSurvey(found, context);
    return found.bad === 0 ? EXIT.fine : EXIT.differences;
  }
  return await sendAll(file, mapping.value, { flags, client, found, context });
}

async function checkedMapping(file: string, { map, format }: ReplayFlags): Promise<ReturnType<typeof readMapping>> {
  const mapping = readMapping(map);
  if (!mapping.ok) return mapping;
  try {
    accessSync(file, constants.R_OK);
    if (format !== 'csv') return mapping;
    const there = await csvColumns(file);
    const missing = columnsOf(mapping.value).filter((column) => !there.includes(column));
    if (missing.length === 0) return mapping;
    return { ok: false, faults: [`${file} has no column ${missing.join(', ')}; it has ${there.join(', ')}`] };
  } catch (error) {
    return { ok: false, faults: [`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

interface Replay {
  readonly flags: ReplayFlags;
  readonly client: ServiceClient;
  readonly found: Survey;
  readonly context: Context;
}

async function sendAll(file: string, mapping: Mapping, replay: Replay): Promise<ExitCode> {
  const { flags, client, found, context } = replay;
  const { terminal, signal } = context;
  const { driveClockMs, patienceMs } = flags;
  const sender = new Sender(client, { patienceMs, driveClock: driveClockMs !== undefined, signal });
  const progress = new Progress(terminal, flags.json === true);
  const events = eventsInOrder(file, flags.format, mapping, new EventOrder(found.inOrder));
  const limits = { events: flags.batch, bytes: BATCH_BYTES, spanMs: driveClockMs ?? null };
  let failure: { readonly sent: Exclude<Sent, { kind: 'sent' }>; readonly batch: Batch } | null = null;
  for await (const batch of batches(events, limits)) {
    if (signal.aborted) break;
    const sent = await sender.send(batch);
    if (sent.kind !== 'sent') {
      failure = { sent, batch };
      break;
    }
    const { tally } = sender;
    progress.update(
      tally.events / found.events,
      `${figure(tally.events)} of ${figure(found.events)} events, ${figure(tally.duplicate)} there already`,
    );
  }
  progress.done();
  tell(sender.tally, replay);
  if (failure !== null && !signal.aborted) {
    const exit = noAnswer(context, failure.sent);
    terminal.err(
      `Stopped at line ${failure.batch.events[0]?.line ?? 0}. What was sent is known by its ids: run the same command again to go on.`,
    );
    return exit;
  }
  if (signal.aborted) terminal.err('Stopped. Run the same command again to go on.');
  return found.bad + sender.tally.notTakenCount > 0 || signal.aborted ? EXIT.differences : EXIT.fine;
}

function tellBadLines({ bad, badLines }: Survey, { terminal }: Context): void {
  for (const { line, fault } of badLines) terminal.err(printable(`line ${line}: ${fault}`));
  if (bad > badLines.length) terminal.err(`… and ${figure(bad - badLines.length)} more bad lines.`);
}

function surveyJson({
  lines,
  events,
  byKind,
  outcomes,
  bad,
  badLines,
  firstMs,
  lastMs,
  inOrder,
  sample,
}: Survey): object {
  const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    lines,
    events,
    byKind,
    outcomes: Object.fromEntries(outcomes),
    bad,
    badLines,
    first: instant(firstMs),
    last: instant(lastMs),
    inOrder,
    sample: sample.map((s) => s.event),
  };
}

function tellSurvey(found: Survey, { terminal }: Context): void {
  const { lines, events, byKind, outcomes, bad, firstMs, lastMs, inOrder, sample } = found;
  terminal.out(`${figure(lines)} lines, ${figure(bad)} of them bad, give ${figure(events)} events: ${counts(byKind)}.`);
  if (firstMs !== null && lastMs !== null)
    terminal.out(`Times from ${new Date(firstMs).toISOString()} to ${new Date(lastMs).toISOString()}.`);
  terminal.out(
    `Outcomes as written: ${[...outcomes].map(([word, count]) => `${word === '' ? '(empty)' : printable(word)} ${figure(count)}`).join(', ')}.`,
  );
  if (!inOrder)
    terminal.out(
      'The lines are not in the order of their first times: all events are held in memory to be sent in order.',
    );
  terminal.out('The first line gives:');
  for (const { event } of sample) terminal.out(`  ${JSON.stringify(event)}`);
}

function counts(byKind: Readonly<Record<string, number>>): string {
  return Object.entries(byKind)
    .map(([kind, count]) => `${figure(count)} ${kind}`)
    .join(', ');
}

function tell(tally: Tally, { flags, found, context }: Replay): void {
  const { terminal } = context;
  for (const { line, code, detail } of tally.examples) terminal.err(printable(`line ${line}: ${code}: ${detail}`));
  if (flags.json === true) {
    const { events, appended, duplicate, notTaken, examples } = tally;
    const { lines, bad, badLines } = found;
    terminal.out(
      JSON.stringify({
        lines,
        bad,
        badLines,
        events: found.events,
        sent: events,
        appended,
        duplicate,
        notTaken: Object.fromEntries(notTaken),
        examples,
      }),
    );
    return;
  }
  terminal.out(
    `Sent ${figure(tally.events)} of ${figure(found.events)} events: ${figure(tally.appended)} appended, ${figure(tally.duplicate)} there already.`,
  );
  for (const [why, count] of tally.notTaken) terminal.out(`${figure(count)} not taken: ${why}.`);
  if (found.bad > 0) terminal.out(found.bad === 1 ? '1 bad line was left out.' : `${figure(found.bad)} bad lines were left out.`);
}
