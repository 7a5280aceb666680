import type { Recovered } from '#libs/application';
import { PgRecoveryStore } from '#libs/postgres';
import { withDatabase } from '../database/database-command.js';
import { onInstalled } from '../database/installed.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface RecoverFlags {
  readonly observeMs: number;
  /** `lane=offset` or `lane=earliest`. */
  readonly rewind: readonly string[];
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The broker says where a lane that has lost its first records begins; the lane then stops, and is sought anew. */
const EARLIEST = 0;

export async function runRecover(flags: RecoverFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const rewinds = flags.rewind.map(rewindOf);
  const broken = flags.rewind.find((_, i) => rewinds[i] === null);
  if (broken !== undefined) {
    terminal.err(`--rewind ${broken}: give a lane and an offset, such as kafka/jobwarden.events/3=1200, or =earliest.`);
    return EXIT.refused;
  }
  return await withDatabase(context, { create: false }, async (address) => {
    const request = { observeMs: flags.observeMs, rewinds: rewinds.filter((r) => r !== null), force: flags.force === true };
    const dryRun = flags.dryRun === true;
    const outcome = await onInstalled(address, async (database) => {
      const store = new PgRecoveryStore(database);
      return dryRun ? await store.foresee(request) : await store.recover(request);
    });
    if (flags.json === true) terminal.out(JSON.stringify(outcome));
    if (outcome.kind === 'refused') {
      terminal.err(`Refused (${outcome.code}): ${outcome.detail}.`);
      return EXIT.refused;
    }
    if (flags.json !== true) for (const line of told(outcome, dryRun)) terminal.out(printable(line));
    return EXIT.fine;
  });
}

function told({ restored, epoch, observeUntilMs, lanes }: Extract<Recovered, { kind: 'recovered' }>, dryRun: boolean): readonly string[] {
  const why = restored === null ? 'Nothing shows a restore; it is taken for one by --force.' : `Restored: ${restored}.`;
  const until = new Date(observeUntilMs).toISOString();
  const places = lanes.map(({ lane, next, from }) => `  ${lane} goes on at ${String(next)}${from === null ? '' : `, where it had come to ${String(from)}`}`);
  const read = lanes.length === 0 ? [] : ['Lanes of Kafka, with what has been read being in the database already:', ...places];
  if (dryRun) {
    return [why, `The epoch would be ${String(epoch)}, and every token from then on above all before.`, ...read, `Observed until ${until}, were it now. Nothing has been changed.`];
  }
  return [why, `Recovered: the epoch is ${String(epoch)}, so every token from here on is above all before.`, ...read, `It is observed until ${until}; let the emitters send what they have kept.`];
}

function rewindOf(text: string): { readonly lane: string; readonly next: number } | null {
  const at = text.lastIndexOf('=');
  const [lane, to] = [text.slice(0, at), text.slice(at + 1)];
  if (at <= 0 || !/^(?:\d{1,15}|earliest)$/u.test(to)) return null;
  return { lane, next: to === 'earliest' ? EARLIEST : Number(to) };
}
