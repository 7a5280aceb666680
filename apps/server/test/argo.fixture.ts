import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export interface WebMetric {
  readonly successCondition: string;
  readonly failureCondition: string;
  readonly count: number;
  readonly failureLimit: number;
  readonly inconclusiveLimit: number;
  readonly consecutiveErrorLimit: number;
  readonly consecutiveSuccessLimit: number;
  readonly provider: { readonly web: { readonly url: string; readonly jsonPath: string; readonly headers: readonly { readonly key: string; readonly value: string }[] } };
}

/** The metric of the AnalysisTemplate that is shipped. */
export function shippedMetric(): WebMetric {
  const text = readFileSync(new URL('../../../deploy/argo-rollouts/analysis-template.yaml', import.meta.url), 'utf8');
  const template = parseAllDocuments(text).map((d) => d.toJS() as { kind: string; spec: { metrics: WebMetric[] } }).find((d) => d.kind === 'AnalysisTemplate');
  const [metric] = template?.spec.metrics ?? [];
  if (metric === undefined) throw new Error('no metric is shipped');
  return metric;
}

/** What Argo Rollouts would ask for, its arguments filled in. */
export function gateAddress(args: Readonly<Record<string, string>>): { readonly path: string; readonly headers: Record<string, string> } {
  const { url, headers } = shippedMetric().provider.web;
  const filled = (text: string) => text.replaceAll(/\{\{ *args\.([\w-]+) *\}\}/gu, (_, name: string) => args[name] ?? `{{${name}}}`);
  const { pathname, search } = new URL(filled(url));
  return { path: pathname + search, headers: Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), filled(value)])) };
}

/** What it makes of an answer (`utils/evaluate`): a failure where the one condition holds, a success where only the other one does, else neither. */
export function phaseOf(result: Readonly<Record<string, unknown>>): 'Successful' | 'Failed' | 'Inconclusive' {
  const { successCondition, failureCondition } = shippedMetric();
  if (holds(failureCondition, result)) return 'Failed';
  return holds(successCondition, result) ? 'Successful' : 'Inconclusive';
}

export type Measured = ReturnType<typeof phaseOf> | 'Error';
export type Assessed = Measured | 'Running';

/**
 * What becomes of an analysis with these measurements, one after the other: `Running` where it goes on. A limit ends it when it is passed,
 * not when it is met, and errors are not counted. What has ended nothing when all are counted is a success up to 1.7; from 1.8 on only so many
 * successes in a row are one, and the rest is inconclusive.
 */
export function assessed(measurements: Iterable<Measured>, release: '1.7' | '1.8', metric: WebMetric = shippedMetric()): Assessed {
  const counted = { Successful: 0, Failed: 0, Inconclusive: 0 };
  const inARow = { Error: 0, Successful: 0 };
  for (const measured of measurements) {
    if (measured !== 'Error') counted[measured] += 1;
    inARow.Error = measured === 'Error' ? inARow.Error + 1 : 0;
    inARow.Successful = measured === 'Successful' ? inARow.Successful + 1 : 0;
    if (inARow.Error > metric.consecutiveErrorLimit) return 'Error';
    if (counted.Inconclusive > metric.inconclusiveLimit) return 'Inconclusive';
    if (counted.Failed > metric.failureLimit) return 'Failed';
    if (release === '1.8' && inARow.Successful >= metric.consecutiveSuccessLimit) return 'Successful';
    if (counted.Successful + counted.Failed + counted.Inconclusive >= metric.count) return release === '1.8' ? 'Inconclusive' : 'Successful';
  }
  return 'Running';
}

/** Of its language only what is shipped: one member against one literal. */
function holds(condition: string, result: Readonly<Record<string, unknown>>): boolean {
  const [, member = '', literal = ''] = /^result\.(\w+) == (true|"\w+")$/u.exec(condition) ?? [];
  if (member === '') throw new Error(`not understood: ${condition}`);
  return result[member] === (JSON.parse(literal) as unknown);
}
