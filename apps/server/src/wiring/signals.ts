import { EvaluateSaturation, Loop, Signals, TakeAlerts, type PolicySource, type Signal, type SignalDesk } from '#libs/application';
import { listPolicies, type PolicySource as PolicyFiles } from '#libs/config';
import type { Metrics } from '#libs/observability';
import { PgMaintenanceStore, PgSaturationStore, PgSignalStore, type Database } from '#libs/postgres';
import type { Logger } from 'pino';
import type { SignalCalls } from '../services.js';

export interface SignalsParts {
  /** For calls. */
  readonly writes: Database;
  /** For what goes on beside them. */
  readonly loops: Database;
  readonly policies: PolicySource;
  readonly files: PolicyFiles;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface BuiltSignals {
  readonly calls: SignalCalls;
  /** Where incidents are opened from. */
  readonly desk: SignalDesk;
  /** The evaluator; of the role `work`. */
  readonly work: readonly Loop[];
}

/** That queues have gone critical: how it is told, and where it is taken up. */
export function buildSignals({ writes, loops, policies, files, metrics, log }: SignalsParts): BuiltSignals {
  const store = new PgSignalStore(writes);
  const alerts = new TakeAlerts({
    store,
    counted: (outcome, count) => metrics.alerts.add({ outcome }, count),
    told: ({ id, namespace, queue, fingerprint, figures, settled, detail }, outcome) =>
      log.warn({ signalId: id, namespace, queue, fingerprint, ...figures, outcome, settled, detail }, WORDS[outcome]),
    truncated: (count) => log.error({ count }, 'alerts were left out of a payload, and nothing is known of them: let max_alerts of the webhook be 0'),
  });
  const desk = new Signals({
    store: new PgSignalStore(loops),
    windows: new PgMaintenanceStore(loops),
    policies,
    settled: (signals, why) => log.info({ signals: signals.map(told), settled: why }, why === null ? 'signals are open again' : 'signals lead to nothing'),
  });
  const evaluator = new EvaluateSaturation({
    store: new PgSaturationStore(loops),
    policies,
    longestWindowMs: () => Math.max(...listPolicies(files.current).map(({ resolved }) => resolved.policy.saturation.windowMs)),
    changed: (queue, what, figures) => log.warn({ ...queue, ...figures }, `critical saturation ${what}`),
  });
  const evaluating = new Loop(
    async () => {
      await evaluator.look();
      return false;
    },
    { idleMs: LOOK_EVERY_MS, onError: (error) => log.warn({ err: error }, 'a look for saturated queues failed, and is repeated') },
  );
  return { calls: { alerts, reads: store, maintenance: new PgMaintenanceStore(writes), nowMs: () => store.nowMs() }, desk, work: [evaluating] };
}

/** A queue has to be over for a minute. */
const LOOK_EVERY_MS = 5_000;

const WORDS = {
  signal: 'an alert says that a queue is critically saturated',
  repeated: 'an alert goes on',
  resolved: 'an alert says that a queue is saturated no more',
  refused: 'an alert cannot be acted on',
  ignored: 'an alert asks for nothing',
} as const;

function told({ id, namespace, queue }: Signal): object {
  return { id, namespace, queue };
}
