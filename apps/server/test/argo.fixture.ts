import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

interface WebMetric {
  readonly successCondition: string;
  readonly failureCondition: string;
  readonly count: number;
  readonly inconclusiveLimit: number;
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

/** Of its language only what is shipped: one member against one literal. */
function holds(condition: string, result: Readonly<Record<string, unknown>>): boolean {
  const [, member = '', literal = ''] = /^result\.(\w+) == (true|"\w+")$/u.exec(condition) ?? [];
  if (member === '') throw new Error(`not understood: ${condition}`);
  return result[member] === (JSON.parse(literal) as unknown);
}
