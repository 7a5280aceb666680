import { ACTIONS, type Action, type JobRef, type Level } from '#libs/domain';
import type { LevelOverride, LevelStore } from '../ports/operate-store.port.js';
import { overlay } from '../policies/overlay.js';
import type { PolicySource } from '../ports/policy-source.port.js';

type QueueName = Pick<JobRef, 'namespace' | 'queue'>;
type Levels = Readonly<Record<Action, Level>>;

/**
 * Levels that operators set over the policy file's. An override wins until the file's value of that queue and action
 * is another one than when it was set:
 *
 *   set ──► in force ──file's value changes──► void, and removed by the replica that saw it change
 *
 * Answers come from memory; `refresh` brings in what other replicas have set. Call it every second or so, and after
 * each reload of the file. A change of the file back and forth while no replica runs is not seen.
 */
export class LevelOverrides {
  private overrides = new Map<string, LevelOverride>();
  private inForce = new Set<string>();

  constructor(
    private readonly store: LevelStore,
    private readonly file: PolicySource,
  ) {}

  /** Of the queue, in force or not. */
  of(queue: QueueName): readonly LevelOverride[] {
    return ACTIONS.flatMap((action) => this.overrides.get(keyOf({ ...queue, action })) ?? []);
  }

  /** The file's levels with what is in force over them; the same object where nothing is. */
  levelsFor(queue: QueueName, fileLevels: Levels): Levels {
    if (this.overrides.size === 0) return fileLevels;
    let levels = fileLevels;
    for (const override of this.of(queue)) {
      if (override.fileLevel === this.fileLevel(queue, override.action)) {
        levels = { ...levels, [override.action]: override.level };
      }
    }
    return levels;
  }

  /** Reads all overrides, and removes those whose file value changed under the eyes of this replica. */
  async refresh(): Promise<void> {
    const overrides = new Map<string, LevelOverride>();
    const inForce = new Set<string>();
    for (const override of await this.store.all()) {
      const key = keyOf(override);
      if (override.fileLevel === this.fileLevel(override, override.action)) {
        inForce.add(key);
      } else if (this.inForce.has(key) && same(override, this.overrides.get(key))) {
        await this.store.drop(override);
        continue;
      }
      overrides.set(key, override);
    }
    this.overrides = overrides;
    this.inForce = inForce;
  }

  /** `PUT /v1/queues/{queue}/levels`. Acting is refused where a job run twice would do harm. */
  async set(queue: QueueName, request: LevelRequest): Promise<LevelOutcome> {
    if (request.reason.trim() === '')
      return { kind: 'refused', code: 'reason_required', detail: 'say why: it is kept' };
    const { policy } = this.file.policyFor(queue, null);
    if (request.level === 'act' && policy.claims !== 'required' && !policy.idempotent) {
      return {
        kind: 'refused',
        code: 'act_needs_safety',
        detail: `act needs claims: required or idempotent: true in the policy of ${queue.queue}: a job that runs twice would do harm`,
      };
    }
    const { namespace, queue: name } = queue;
    const { action, level, reason, by } = request;
    const fileLevel = policy.levels[action];
    const override = await this.store.set({
      namespace,
      queue: name,
      action,
      level,
      fileLevel,
      reason: reason.trim(),
      by,
    });
    this.overrides.set(keyOf(override), override);
    this.inForce.add(keyOf(override));
    return { kind: 'set', override, levels: this.levelsFor(queue, policy.levels) };
  }

  private fileLevel(queue: QueueName, action: Action): Level {
    return this.file.policyFor(queue, null).policy.levels[action];
  }
}

export interface LevelRequest {
  readonly action: Action;
  readonly level: Level;
  readonly reason: string;
  readonly by: string;
}

export type LevelOutcome =
  | { readonly kind: 'set'; readonly override: LevelOverride; readonly levels: Levels }
  | { readonly kind: 'refused'; readonly code: 'act_needs_safety' | 'reason_required'; readonly detail: string };

/**
 * The file's policies with the operators' levels over them: what reconcilers and reports should ask. `version` stays
 * the file's: no deadline depends on a level.
 */
export function withOverrides(file: PolicySource, overrides: LevelOverrides): PolicySource {
  return overlay(file, (resolved, ref) => {
    const levels = overrides.levelsFor(ref, resolved.levels);
    return levels === resolved.levels ? resolved : { ...resolved, levels };
  });
}

function keyOf({ namespace, queue, action }: QueueName & { readonly action: Action }): string {
  return `${namespace}\0${queue}\0${action}`;
}

function same(a: LevelOverride, b: LevelOverride | undefined): boolean {
  return b !== undefined && a.setMs === b.setMs && a.level === b.level && a.fileLevel === b.fileLevel;
}
