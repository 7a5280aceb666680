import { join } from 'node:path';
import { boards, expressionsOf, readAlertRules, type Expression } from '#libs/boards';
import { waitUntil, type Prometheus } from '#libs/testing';

/** Grafana puts these in. */
const VALUES: Readonly<Record<string, string>> = { job: 'jobwarden', queue: '.*', instance: '.*', __rate_interval: '1m' };

/** Of what is there with Kafka alone. */
const WITH_KAFKA = /jobwarden_(?:lane_behind_records|lane_ingest_lag_seconds|kafka_connected)/u;

export function filledIn(expr: string): string {
  return expr.replaceAll(/\$(?:\{(\w+)\}|(\w+))/gu, (whole, a?: string, b?: string) => VALUES[a ?? b ?? ''] ?? whole);
}

/** Whatever the boards ask for, by whether a service without Kafka could answer. */
export function boardQueries(): { readonly always: readonly Expression[]; readonly withKafka: readonly Expression[] } {
  const shipped = boards(readAlertRules(join(import.meta.dirname, '../../..')));
  const all = [...shipped.values()].flatMap(expressionsOf).map(({ of, expr }) => ({ of, expr: filledIn(expr) }));
  return { always: all.filter(({ expr }) => !WITH_KAFKA.test(expr)), withKafka: all.filter(({ expr }) => WITH_KAFKA.test(expr)) };
}

/** Why a query shows nothing that is worth showing; null: it shows something. */
export type Blank = 'empty' | 'not a number' | `refused: ${string}`;

export async function blank(prometheus: Prometheus, expr: string): Promise<Blank | null> {
  let samples: readonly { readonly value: readonly [number, string] }[];
  try {
    samples = (await prometheus.api<{ result: typeof samples }>(`query?query=${encodeURIComponent(expr)}`)).result;
  } catch (error) {
    return `refused: ${String(error)}`;
  }
  if (samples.length === 0) return 'empty';
  return samples.every(({ value: [, value] }) => Number.isFinite(Number(value))) ? null : 'not a number';
}

/** Waits until each shows something. @throws with those that do not, and why. */
export async function untilNoneIsBlank(prometheus: Prometheus, expressions: readonly Expression[]): Promise<void> {
  const left = new Map(expressions.map((one) => [`${one.of}: ${one.expr}`, one.expr]));
  const why: string[] = [];
  const look = async () => {
    why.length = 0;
    for (const [what, expr] of left) {
      const found = await blank(prometheus, expr);
      if (found === null) left.delete(what);
      else why.push(`${found}: ${what}`);
    }
    return left.size === 0;
  };
  await waitUntil('every query shows something', look, { withinMs: 10_000, everyMs: 200 }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${why.join('\n')}`);
  });
}
