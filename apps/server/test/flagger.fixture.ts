import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export interface ShippedHook {
  readonly type: string;
  readonly url: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Webhooks of the Canary that is shipped, in order. */
export function shippedHooks(): readonly ShippedHook[] {
  const text = readFileSync(new URL('../../../deploy/flagger/canary.yaml', import.meta.url), 'utf8');
  const [canary] = parseAllDocuments(text).map((d) => d.toJS() as { spec: { analysis: { webhooks: ShippedHook[] } } });
  return canary?.spec.analysis.webhooks ?? [];
}
