import type { CanaryGateView, GateOverrideView, GateToldView } from '#libs/contracts';
import type { GateAnswer } from '../gate/canary-gate.js';
import type { LastAnswer } from '../gate/last-answers.js';
import type { GateOverride, GateScope } from '../ports/gate-store.port.js';
import { iso } from './time.js';

export function canaryGateView(answer: GateAnswer): CanaryGateView {
  const { verdict, pass, reasons, evidence, samples, needed, metrics, canary, window, policy } = answer;
  return {
    ...{ verdict, pass },
    closed: answer.closed.map(({ code, incidentIds }) => ({ code, incidentIds: [...incidentIds] })),
    override: answer.override === null ? null : gateOverrideView(answer.override, window.toMs),
    reasons: [...reasons],
    evidence: evidence.map(({ says, figures }) => ({ says, figures: { ...figures } })),
    samples: { ...samples },
    needed: { ...needed },
    metrics: metrics.map((metric) => ({ ...metric })),
    canary: canary === null ? null : { ...canary },
    scope: scopeView(answer.scope),
    window: { since: iso(window.sinceMs), from: iso(window.fromMs), until: iso(window.toMs) },
    policy: { ...policy },
  };
}

export function gateToldView({ answer, atMs }: LastAnswer): GateToldView {
  const { verdict, pass, canary, samples, needed, scope, closed } = answer;
  return {
    ...{ verdict, pass, closed: closed.length > 0, at: iso(atMs) },
    canary: canary === null ? null : { ...canary },
    samples: { ...samples },
    needed: { ...needed },
    scope: scopeView(scope),
  };
}

export function gateOverrideView({ id, scope, reason, by, setMs, untilMs }: GateOverride, nowMs: number): GateOverrideView {
  return { id, scope: scopeView(scope), reason, by, at: iso(setMs), until: iso(untilMs), holds: untilMs > nowMs };
}

function scopeView({ target, queue }: GateScope): CanaryGateView['scope'] {
  return { target, namespace: queue?.namespace ?? null, queue: queue?.queue ?? null };
}
