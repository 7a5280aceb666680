import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** An alert as it is shipped. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly severity: string;
  /** A path of this repository. */
  readonly runbook: string;
}

export type AlertRules = ReadonlyMap<string, AlertRule>;

interface StoredRule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Every alert of `deploy/prometheus`, by its name. `root`: of the repository. */
export function readAlertRules(root: string): AlertRules {
  const files = globSync('deploy/prometheus/*.rules.yaml', { cwd: root }).sort();
  const groups = files.flatMap((file) => (parse(readFileSync(join(root, file), 'utf8')) as { groups: { rules: StoredRule[] }[] }).groups);
  return new Map(groups.flatMap(({ rules }) => rules).flatMap((rule) => alertOf(rule).map((alert) => [alert.alert, alert] as const)));
}

function alertOf({ alert, expr, labels, annotations }: StoredRule): readonly AlertRule[] {
  if (alert === undefined) return [];
  return [{ alert, expr, severity: labels?.['severity'] ?? '', runbook: annotations?.['runbook_url'] ?? '' }];
}

/** The rule, if it compares with just this number: a panel's threshold must not say something else than the alert does. */
export function ruleAt(rules: AlertRules, alert: string, at?: number): AlertRule {
  const rule = rules.get(alert);
  if (rule === undefined) throw new Error(`no rule is called ${alert}`);
  const compared = [...rule.expr.matchAll(/[<>]=?\s*(?:bool\s*)?(\d+(?:\.\d+)?)/gu)].map(([, number]) => Number(number));
  if (at !== undefined && !compared.includes(at)) throw new Error(`${alert} compares with ${compared.join(', ')}, not with ${String(at)}`);
  return rule;
}
