import type { FaultLog } from './fault-log.js';
import { ACTION_KEYS } from './policy-fields.js';
import type { PolicySettings, SettingKey } from './policy-settings.js';
import type { Stack, Written } from './policy-stack.js';
import { formatDuration } from './quantities.js';

/** What is asked of several settings together, after all layers are in place. */
export interface CrossRule {
  readonly code: string;
  /** The settings it compares. A fault stands at the most specific of them that is written. */
  readonly keys: readonly SettingKey[];
  /** For the reference page. */
  readonly says: string;
  readonly check: (settings: PolicySettings) => { readonly rule: string; readonly mend: string } | null;
}

/** Actions after which a job runs again, or is declared dead although it may still run. */
const NEED_SAFETY = ACTION_KEYS.filter((key) => key !== 'actions.throttle' && key !== 'actions.rollback');

export const BURST_RULE = 'budget-burst-over-half-second';

/** Also of the whole installation's budget. `burst` null: it follows the rate. */
export function burstFault(perSecond: number, burst: number | null): { readonly rule: string; readonly mend: string } | null {
  if (burst === null || burst * 2 >= perSecond) return null;
  return {
    rule: `budget.burst ${String(burst)} is less than half of budget.perSecond ${String(perSecond)}: that rate is never reached`,
    mend: `write budget.burst: ${String(Math.ceil(perSecond / 2))} or more, or auto`,
  };
}

export const CROSS_RULES: readonly CrossRule[] = [
  {
    code: 'heartbeat-within-third',
    keys: ['heartbeatEvery', 'lease'],
    says: '`heartbeatEvery` is at most a third of `lease`: two heartbeats may get lost before a worker counts as dead.',
    check({ heartbeatEvery, lease }) {
      if (heartbeatEvery === null || heartbeatEvery * 3 <= lease) return null;
      const most = formatDuration(Math.floor(lease / 3));
      return {
        rule: `heartbeatEvery ${formatDuration(heartbeatEvery)} is more than a third of lease ${formatDuration(lease)} (${most})`,
        mend: `write heartbeatEvery: ${most} or less, or lease: ${formatDuration(heartbeatEvery * 3)} or more`,
      };
    },
  },
  {
    code: 'hard-timeout-over-lease',
    keys: ['hardTimeout', 'lease', 'heartbeats'],
    says: '`hardTimeout` is longer than `lease`, unless `heartbeats: none`: or every job is hung before it can be lost.',
    check({ hardTimeout, lease, heartbeats }) {
      if (hardTimeout === null || heartbeats === 'none' || hardTimeout > lease) return null;
      return {
        rule: `hardTimeout ${formatDuration(hardTimeout)} is not longer than lease ${formatDuration(lease)}`,
        mend: `write a hardTimeout over ${formatDuration(lease)}, a shorter lease, or heartbeats: none`,
      };
    },
  },
  {
    code: 'backoff-max-over-initial',
    keys: ['backoff.max', 'backoff.initial'],
    says: '`backoff.max` is at least `backoff.initial`.',
    check(settings) {
      const [initial, max] = [settings['backoff.initial'], settings['backoff.max']];
      if (max >= initial) return null;
      return {
        rule: `backoff.max ${formatDuration(max)} is shorter than backoff.initial ${formatDuration(initial)}`,
        mend: `write backoff.max: ${formatDuration(initial)} or more`,
      };
    },
  },
  {
    code: BURST_RULE,
    keys: ['budget.burst', 'budget.perSecond'],
    says: '`budget.burst` is at least half of `budget.perSecond`: under load due jobs are looked at twice a second, and what comes in between beyond the burst is lost.',
    check(settings) {
      return burstFault(settings['budget.perSecond'], settings['budget.burst']);
    },
  },
  {
    code: 'saturation-recovers-below',
    keys: ['saturation.recoverBelow', 'saturation.ratio'],
    says: '`saturation.recoverBelow` is less than `saturation.ratio`: or a queue would be saturated and recovered at once.',
    check(settings) {
      const [ratio, recoverBelow] = [settings['saturation.ratio'], settings['saturation.recoverBelow']];
      if (recoverBelow < ratio) return null;
      return {
        rule: `saturation.recoverBelow ${String(recoverBelow)} is not less than saturation.ratio ${String(ratio)}`,
        mend: `write saturation.recoverBelow: ${String(ratio / 2)} or less`,
      };
    },
  },
  {
    code: 'schema-database-and-query',
    keys: ['rollback.schema.databaseUrlEnv', 'rollback.schema.query'],
    says: '`rollback.schema.databaseUrlEnv` and `rollback.schema.query` stand together: which database is asked, and what.',
    check(settings) {
      const [url, query] = [settings['rollback.schema.databaseUrlEnv'], settings['rollback.schema.query']];
      if ((url === null) === (query === null)) return null;
      return url === null
        ? { rule: 'rollback.schema.query has no rollback.schema.databaseUrlEnv: no database would be asked', mend: 'add databaseUrlEnv, the name of the variable that holds the address of the database' }
        : { rule: `rollback.schema.databaseUrlEnv ${url} has no rollback.schema.query: nothing would be asked`, mend: 'add query: "select max(version) from schema_migrations", or what your migrations keep' };
    },
  },
  {
    code: 'act-needs-safety',
    keys: [...NEED_SAFETY, 'claims', 'idempotent'],
    says: '`act` on retry, requeue or deadLetter needs `claims: required` or `idempotent: true`: a worker that only seems dead may still run the job.',
    check(settings) {
      const acting = NEED_SAFETY.filter((key) => settings[key] === 'act').map((key) => key.slice('actions.'.length));
      if (acting.length === 0 || settings.claims === 'required' || settings.idempotent) return null;
      return {
        rule: `act on ${acting.join(', ')} needs claims: required or idempotent: true, and has neither`,
        mend: 'add idempotent: true if running a job twice does no harm, else claims: required, else write observe or approve',
      };
    },
  },
];

/** Checks a finished stack. What several queues inherit from one line is one fault. */
export function checkRules(stack: Stack, log: FaultLog): void {
  for (const { code, keys, check } of CROSS_RULES) {
    const found = check(stack.settings);
    if (found === null) continue;
    const place = mostSpecific(keys, stack.written);
    if (place !== null) log.add(code, place.placed.place, place.placed.path, found.rule, found.mend);
  }
}

/** Inherited from the defaults it is harmless, as none: written for the queue itself it is a slip. */
export function checkFallback(stack: Stack, queue: string, log: FaultLog): void {
  const written = stack.written.get('fallbackQueue');
  if (written === undefined || stack.settings.fallbackQueue !== queue) return;
  if (written.layer.layer !== 'queue' && written.layer.layer !== 'kind') return;
  const { place, path } = written.placed;
  log.add(
    'fallback-to-itself',
    place,
    path,
    `fallbackQueue of ${JSON.stringify(queue)} is the queue itself`,
    'name another queue, or none',
  );
}

function mostSpecific(keys: readonly SettingKey[], written: ReadonlyMap<SettingKey, Written>): Written | null {
  let best: Written | null = null;
  for (const key of keys) {
    const candidate = written.get(key);
    if (candidate !== undefined && (best === null || candidate.strength > best.strength)) best = candidate;
  }
  return best;
}
