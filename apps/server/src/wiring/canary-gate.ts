import { CanaryGate, FlaggerHooks, LastAnswers, OverrideGate, type GateAnswer, type GateScope, type PolicySource } from '#libs/application';
import { GATE_VERDICTS } from '#libs/domain';
import type { Metrics } from '#libs/observability';
import { PgGateReads, PgGateStore, PgPostmortemStore, type Database } from '#libs/postgres';
import type { CanaryGateCalls } from '../services.js';

export interface CanaryGateWiring {
  readonly writes: Database;
  readonly reads: Database;
  readonly policies: PolicySource;
  readonly metrics: Metrics;
}

/** What was not asked for so long is told no more, ms. */
const TOLD_FOR_MS = 3_600_000;

/** Whether a canary is as good as stable. */
export function buildCanaryGate({ writes, reads, policies, metrics }: CanaryGateWiring): CanaryGateCalls {
  const gateReads = new PgGateReads(reads);
  const store = new PgGateStore(writes);
  const gauge = verdictGauge(metrics, () => performance.now());
  const answers = new LastAnswers(() => Date.now());
  const gate = new CanaryGate({
    ...{ reads: gateReads, store, policies },
    postmortems: new PgPostmortemStore(reads),
    told: (request, answer) => {
      gauge(request.scope, answer);
      answers.told(request, answer);
    },
  });
  return { gate, answers, flagger: new FlaggerHooks(gate, store), override: new OverrideGate(gateReads, gate, store), store, nowMs: () => gateReads.nowMs() };
}

/** Keeps the gauge to what was asked of late: rollouts end, and nobody says so. */
export function verdictGauge(metrics: Pick<Metrics, 'gateVerdict'>, nowMs: () => number): (scope: GateScope, answer: GateAnswer) => void {
  const asked = new Map<string, { readonly verdict: GateAnswer['verdict']; readonly atMs: number }>();
  return ({ target, queue }, { verdict, reasons }) => {
    // Names that nothing is known of are the asker's own.
    if (reasons.includes('target_unknown') || reasons.includes('queue_unknown')) return;
    asked.set(target ?? `${queue.namespace}/${queue.queue}`, { verdict, atMs: nowMs() });
    for (const [name, { atMs }] of asked) if (nowMs() - atMs > TOLD_FOR_MS) asked.delete(name);
    metrics.gateVerdict.replace(
      [...asked].flatMap(([name, { verdict: last }]) => GATE_VERDICTS.map((one) => [{ target: name, verdict: one }, one === last ? 1 : 0] as const)),
    );
  };
}
