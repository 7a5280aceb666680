import { PgRecoveryStore } from '#libs/postgres';
import { withDatabase } from '../database/database-command.js';
import { onInstalled } from '../database/installed.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';

export interface RecoverFlags {
  readonly observeMs: number;
  /** `lane=offset` or `lane=earliest`. */
  readonly rewind: readonly string[];
  readonly force?: boolean;
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
    const outcome = await onInstalled(address, async (database) =>
      new PgRecoveryStore(database).recover({
        observeMs: flags.observeMs,
        rewinds: rewinds.filter((r) => r !== null),
        force: flags.force === true,
      }),
    );
    if (flags.json === true) terminal.out(JSON.stringify(outcome));
    if (outcome.kind === 'refused') {
      terminal.err(`Refused (${outcome.code}): ${outcome.detail}.`);
      return EXIT.refused;
    }
    if (flags.json !== true) {
      terminal.out(`Recovered: the epoch is ${String(outcome.epoch)}, so every token from here on is above all before.`);
      terminal.out(`It is observed until ${new Date(outcome.observeUntilMs).toISOString()}; let the emitters send what they have kept.`);
    }
    return EXIT.fine;
  });
}

function rewindOf(text: string): { readonly lane: string; readonly next: number } | null {
  const at = text.lastIndexOf('=');
  const [lane, to] = [text.slice(0, at), text.slice(at + 1)];
  if (at <= 0 || !/^(?:\d{1,15}|earliest)$/u.test(to)) return null;
  return { lane, next: to === 'earliest' ? EARLIEST : Number(to) };
}
