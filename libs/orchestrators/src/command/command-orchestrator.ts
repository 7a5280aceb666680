import { OrchestratorError, type Applied, type ApplyOptions, type Orchestrator } from '#libs/application';
import type { WorkloadSeen, WorkloadWanted } from '#libs/domain';
import { appliedFrom, seenFrom } from './answers.js';
import { EXIT_CODES } from './exit-codes.js';
import { runCommand } from './run-command.js';

export interface OrchestratorCommands {
  /** Program and arguments each. */
  readonly observe: readonly string[];
  readonly apply: readonly string[];
  /** Of one run, ms. */
  readonly timeoutMs: number;
  /** Beside PATH, HOME, LANG and those that begin with JOBWARDEN_: nothing else of the service's environment, which holds its secrets. */
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandOrchestratorOptions {
  /** By name, as the policy file has them now; null: it has none of this name. */
  readonly commands: (name: string) => OrchestratorCommands | null;
  /** Of what a command said, before anybody sees it. */
  readonly redact: (text: string) => string;
  /** Of the service; only PATH, HOME and LANG of it are handed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PREFIX = 'command:';
const SHOWN_CHARACTERS = 500;
/** Shorter values of variables are words such as `main`. */
const SECRET_CHARACTERS = 6;

/**
 * An operator's own commands: for workers that are no Deployments, or whose wish lies in Git. Two verbs, one run each, no shell.
 *
 * Standard input is one JSON object: `verb`, `target`, `dryRun`, and for `apply` `wanted` (`releaseId`, `replicas`) and `seen` (the look that it is decided
 * on). The same in variables, for scripts without a JSON reader: JOBWARDEN_VERB, JOBWARDEN_TARGET, JOBWARDEN_DRY_RUN, JOBWARDEN_RELEASE,
 * JOBWARDEN_REPLICAS, JOBWARDEN_SEEN_VERSION. `observe` prints a JSON object; `apply` may. The exit code says how it ended ({@link EXIT_CODES}).
 *
 * A command is killed with all its children when its time is over. `apply` must be repeatable: it is run again after a lost answer.
 */
export class CommandOrchestrator implements Orchestrator {
  readonly kind = 'command';

  constructor(private readonly options: CommandOrchestratorOptions) {}

  async observe(target: string, signal: AbortSignal): Promise<WorkloadSeen> {
    return seenFrom(target, await this.run(target, { verb: 'observe', input: {}, env: {}, dryRun: false, signal }));
  }

  async apply(target: string, wanted: WorkloadWanted, seen: WorkloadSeen, { signal, dryRun = false, mayWrite }: ApplyOptions): Promise<Applied> {
    if (stands(wanted, seen)) return { changed: false, generation: seen.generation, version: seen.version, writes: 0 };
    if ((await mayWrite?.()) === false) throw new OrchestratorError('conflict', `${target}: it is not to be written any more`);
    const { releaseId, replicas } = wanted;
    const env = {
      ...(releaseId === undefined ? {} : { JOBWARDEN_RELEASE: releaseId }),
      ...(replicas === undefined ? {} : { JOBWARDEN_REPLICAS: String(replicas) }),
      JOBWARDEN_SEEN_VERSION: seen.version,
    };
    const output = await this.run(target, { verb: 'apply', input: { wanted: { releaseId, replicas }, seen }, env, dryRun, signal });
    const applied = appliedFrom(target, output, seen);
    return dryRun ? { ...applied, writes: 0 } : applied;
  }

  private async run(
    target: string,
    call: { verb: 'observe' | 'apply'; input: object; env: Readonly<Record<string, string>>; dryRun: boolean; signal: AbortSignal },
  ): Promise<string> {
    const { verb, input, dryRun, signal } = call;
    const commands = target.startsWith(PREFIX) ? this.options.commands(target.slice(PREFIX.length)) : null;
    if (commands === null) throw new OrchestratorError('unsupported', `${target}: the policy file has no such orchestrator`);
    const end = await runCommand({
      argv: commands[verb],
      env: { ...this.handedOn(), ...commands.env, ...call.env, JOBWARDEN_VERB: verb, JOBWARDEN_TARGET: target, JOBWARDEN_DRY_RUN: String(dryRun) },
      input: JSON.stringify({ verb, target, dryRun, ...input }),
      timeoutMs: commands.timeoutMs,
      signal,
    });
    const said = (errors: string) => this.said(errors, Object.values(commands.env));
    const fail = (code: OrchestratorError['code'], why: string) => new OrchestratorError(code, `${target}: ${verb} ${why}`);
    switch (end.end) {
      case 'not_started':
        throw fail('unsupported', `could not be started (${end.reason})`);
      case 'timed_out':
        throw fail('timed_out', `did not end within ${String(commands.timeoutMs)} ms${said(end.errors)}`);
      case 'interrupted':
        throw fail('timed_out', 'was interrupted');
      case 'killed':
        throw fail('unreachable', `was killed${said(end.errors)}`);
      case 'exited':
        if (end.code !== 0) throw fail(EXIT_CODES.get(end.code) ?? 'unreachable', `ended with code ${String(end.code)}${said(end.errors)}`);
        if (end.cut) throw fail('rejected', 'printed too much');
        return end.output;
    }
  }

  private handedOn(): Record<string, string> {
    const kept = ['PATH', 'HOME', 'LANG'].map((name) => [name, this.options.environment[name]] as const);
    return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }

  /** Its last words, without what it was given as a variable: a script that traces itself prints its tokens. */
  private said(errors: string, given: readonly string[]): string {
    const secrets = given.filter((value) => value.length >= SECRET_CHARACTERS);
    const without = secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), errors);
    const text = this.options.redact(without).trim().replace(/\s+/g, ' ');
    return text === '' ? '' : `: ${text.slice(-SHOWN_CHARACTERS)}`;
  }
}

/** A command that is not needed is not run: its own check would have to be trusted instead. */
function stands({ releaseId, replicas }: WorkloadWanted, seen: WorkloadSeen): boolean {
  return (releaseId === undefined || seen.releaseId === releaseId) && (replicas === undefined || seen.wanted === replicas);
}
