import { setTimeout as delay } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { CanaryGateView } from '#libs/contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { Progress } from '../terminal/progress.js';
import { printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';
import { GATE_REASON_WORDS } from './gate-words.js';

type Gate = Static<typeof CanaryGateView>;

export interface GateFlags extends ServiceOptions {
  readonly target?: string;
  readonly queue?: string;
  readonly namespace?: string;
  readonly track?: string;
  readonly revision?: string;
  readonly baseline?: string;
  readonly since?: string;
  /** How long to look again while it is not told, ms; 0: one look. */
  readonly waitMs: number;
  /** Between two looks, ms. */
  readonly everyMs: number;
  readonly json?: boolean;
}

/**
 * Asks whether a canary may go on, and with a wait asks again until that is told: the answer is as good at the hundredth
 * look as at the first. Only "unhealthy" ends a wait early with a no; what cannot be judged yet may be in a minute.
 */
export async function runGate(flags: GateFlags, context: Context): Promise<ExitCode> {
  const { terminal, signal } = context;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string' || (flags.target === undefined) === (flags.queue === undefined)) {
    terminal.err(typeof client === 'string' ? client : 'Name what is judged: either --target or --queue.');
    return EXIT.refused;
  }
  const { target, queue, namespace, track, revision, baseline, since } = flags;
  const query = { target, queue, namespace, track, revision, baseline, since, form: 'argo' };
  const progress = new Progress(terminal, flags.json === true);
  const until = Date.now() + flags.waitMs;
  for (;;) {
    const answer = await client.get('v1/gates/canary', query);
    const left = until - Date.now();
    if (left <= 0 || signal.aborted || isFinal(answer)) {
      progress.done();
      return tell(answer, flags, context);
    }
    progress.update(share(answer), waitsFor(answer));
    await delay(Math.min(Math.max(1, flags.everyMs), left), undefined, { signal }).catch(() => undefined);
  }
}

function isFinal(answer: Answer): boolean {
  if (answer.kind === 'unreachable') return false;
  if (answer.kind === 'problem') return answer.status < 500;
  const { pass, verdict } = answer.body as Gate;
  return pass || verdict === 'unhealthy';
}

function share(answer: Answer): number {
  if (answer.kind !== 'ok') return 0;
  const { samples, needed } = answer.body as Gate;
  const all = samples.canary + needed.canary;
  return all === 0 ? 0 : samples.canary / all;
}

function waitsFor(answer: Answer): string {
  return printable(answer.kind === 'ok' ? why(answer.body as Gate) : `the service does not answer: ${answer.detail}`);
}

function why({ verdict, reasons, closed, samples, needed }: Gate): string {
  const words = reasons.map((reason) => GATE_REASON_WORDS[reason]);
  if (needed.canary > 0) words.push(`${String(samples.canary)} attempts of the canary so far, about ${String(needed.canary)} more would tell`);
  for (const { incidentIds } of closed) words.push(`closed: a postmortem is not signed${incidentIds.length === 0 ? '' : ` (incident ${incidentIds.join(', ')})`}`);
  return `${verdict}: ${words.join('; ')}`;
}

function tell(answer: Answer, flags: GateFlags, context: Context): ExitCode {
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  const gate = answer.body as Gate;
  if (flags.json === true) {
    context.terminal.out(JSON.stringify(gate));
  } else {
    context.terminal.out(printable(why(gate)));
    for (const { says } of gate.evidence) context.terminal.out(printable(`  ${says}`));
  }
  return exitOf(gate);
}

function exitOf({ pass, verdict, reasons }: Gate): ExitCode {
  if (pass) return EXIT.fine;
  if (verdict === 'unhealthy') return EXIT.differences;
  if (verdict === 'error') return reasons.includes('database_unavailable') ? EXIT.unreachable : EXIT.refused;
  return EXIT.undecided;
}
