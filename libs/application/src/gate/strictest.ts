import { GATE_DEFAULTS, type GatePolicy } from '#libs/domain';

/** Of several queues whose workers are rolled out together each policy has to hold; without any, the defaults do. */
export function strictest(policies: readonly GatePolicy[]): GatePolicy {
  const [first = GATE_DEFAULTS, ...others] = policies;
  return others.reduce<GatePolicy>(
    (a, b) => ({
      alpha: Math.min(a.alpha, b.alpha),
      margin: Math.min(a.margin, b.margin),
      runTimeFactor: a.runTimeFactor === null || b.runTimeFactor === null ? (a.runTimeFactor ?? b.runTimeFactor) : Math.min(a.runTimeFactor, b.runTimeFactor),
      minSample: Math.max(a.minSample, b.minSample),
      windowMs: Math.max(a.windowMs, b.windowMs),
    }),
    first,
  );
}
