import { setTimeout as delay } from 'node:timers/promises';
import type { IncidentDetail } from '#libs/contracts';
import type { IncidentStepType } from '#libs/domain';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { noAnswer, ServiceClient, type Answer, type ServiceOptions } from '../rest/client.js';
import { printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface RollbackFlags extends ServiceOptions {
  readonly target?: string;
  readonly queue?: string;
  readonly namespace?: string;
  readonly revision?: string;
  readonly reason: string;
  readonly dryRun?: boolean;
  readonly patienceMs: number;
  readonly json?: boolean;
}

const LOOK_MS = 500;

/**
 * Rolls a target back by the service, as its own run would: isolated, rolled back, verified, let in again in steps. Follows it until it is resolved or
 * escalated. The run needs nobody to watch: Ctrl-C ends the command and not the run.
 */
export async function runRollback(flags: RollbackFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const { target, queue, namespace, revision, reason, dryRun } = flags;
  const client = ServiceClient.of(flags, context);
  if (typeof client === 'string' || (target === undefined) === (queue === undefined)) {
    terminal.err(typeof client === 'string' ? client : 'Name what is rolled back: either --target or --queue.');
    return EXIT.refused;
  }
  const path = `v1/incidents${namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`}`;
  const answer = await client.send(path, { method: 'POST', contentType: 'application/json', body: JSON.stringify({ target, queue, revision, reason, dryRun }) });
  if (answer.kind === 'problem' && answer.status < 500) {
    terminal.err(printable(`Refused, ${answer.code}: ${answer.detail}${incidentOf(answer.body)}`));
    return EXIT.refused;
  }
  if (answer.kind !== 'ok') return noAnswer(context, answer);
  return await new Followed(client, answer.body as IncidentDetail, flags, context).toItsEnd();
}

/** The incident that is in the way, where it says. */
function incidentOf(body: unknown): string {
  const { incidentId } = (typeof body === 'object' && body !== null ? body : {}) as { readonly incidentId?: unknown };
  return typeof incidentId === 'string' ? ` (incident ${incidentId})` : '';
}

class Followed {
  private shown = 0;
  private shownWait: string | null = null;

  constructor(
    private readonly client: ServiceClient,
    private incident: IncidentDetail,
    private readonly flags: RollbackFlags,
    private readonly context: Context,
  ) {}

  async toItsEnd(): Promise<ExitCode> {
    const { terminal, signal } = this.context;
    this.say(`Incident ${this.incident.incidentId}`);
    for (;;) {
      this.tellNew();
      const exit = this.end();
      if (exit !== null) {
        terminal.out(this.flags.json === true ? JSON.stringify(this.incident) : printable(this.lastWord(exit)));
        return exit;
      }
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
      const lost = await this.lookAgain();
      if (signal.aborted) {
        terminal.err(`The run goes on and needs nobody to watch: GET /v1/incidents/${this.incident.incidentId}, POST …/abort.`);
        return EXIT.differences;
      }
      if (lost !== null) return noAnswer(this.context, lost);
    }
  }

  /** A service that restarts goes on with its run: it is waited for. */
  private async lookAgain(): Promise<Exclude<Answer, { kind: 'ok' }> | null> {
    const until = Date.now() + this.flags.patienceMs;
    for (;;) {
      const answer = await this.client.get(`v1/incidents/${encodeURIComponent(this.incident.incidentId)}`);
      if (answer.kind === 'ok') {
        this.incident = answer.body as IncidentDetail;
        return null;
      }
      const away = answer.kind === 'unreachable' || answer.status >= 500;
      if (!away || Date.now() >= until || this.context.signal.aborted) return answer;
      this.tellWait('the service, which does not answer');
      await delay(LOOK_MS, undefined, { signal: this.context.signal }).catch(() => undefined);
    }
  }

  /** null: it goes on. */
  private end(): ExitCode | null {
    const { status, steps, run } = this.incident;
    const has = (type: IncidentStepType): boolean => steps.some((step) => step.type === type);
    if (this.flags.dryRun === true && has('would-have')) return EXIT.fine;
    const without = run?.acted === false ? EXIT.refused : EXIT.differences;
    if (run?.phase === 'escalated') return without;
    if (status !== 'resolved') return null;
    return has('rolled-back') && has('verified') && !has('aborted') ? EXIT.fine : without;
  }

  private lastWord(exit: ExitCode): string {
    const { incidentId, steps, run } = this.incident;
    const last = steps.at(-1)?.reason ?? '';
    if (this.flags.dryRun === true && exit === EXIT.fine) return `Nothing was done. It would have: ${(run?.plan ?? [last]).join('; ')}`;
    if (exit === EXIT.fine) {
      const written = steps.some(({ evidence }) => evidence?.['written'] !== undefined);
      return `${written ? 'Rolled back' : `Not rolled back: ${this.passedOver()}. Work succeeds`}, and everything is let in again. Incident ${incidentId}.`;
    }
    const nothing = exit === EXIT.refused ? 'Refused, and nothing was done' : null;
    const what = run?.phase === 'escalated' ? `${nothing ?? 'Escalated'}${run.code === null ? '' : `, ${run.code}`}` : (nothing ?? 'Ended without a rollback');
    return `${what}: ${last} (incident ${incidentId})`;
  }

  /** Why the target was left alone. */
  private passedOver(): string {
    const why = this.incident.steps.find(({ type }) => type === 'rolled-back')?.evidence?.['passedOver'];
    return typeof why === 'string' ? why : 'nothing was written';
  }

  private tellNew(): void {
    const { steps, run } = this.incident;
    for (const { at, type, reason } of steps.slice(this.shown)) {
      this.say(`${at}  ${type}  ${reason}`);
      this.shownWait = null;
    }
    this.shown = steps.length;
    if (run?.waitsFor != null && this.incident.status !== 'resolved') this.tellWait(run.waitsFor);
  }

  /** Once for each thing that is waited for. */
  private tellWait(what: string): void {
    if (what !== this.shownWait) this.say(`  waits for ${what}`);
    this.shownWait = what;
  }

  private say(line: string): void {
    if (this.flags.json !== true) this.context.terminal.err(printable(line));
  }
}
