import type { AlertRules } from './alert-rules.js';
import { boardOf } from './board.js';
import { FLEET } from './fleet-board.js';
import type { Dashboard } from './model.js';
import { QUEUE_BOARD } from './queue-board.js';
import { SERVICE } from './service-board.js';

/** All that are shipped, by the name of their file. */
export function boards(rules: AlertRules): ReadonlyMap<string, Dashboard> {
  return new Map([FLEET, QUEUE_BOARD, SERVICE].map((spec) => [`${spec.uid}.json`, boardOf(spec, rules)]));
}

export interface Expression {
  /** For messages: which board, and what of it. */
  readonly of: string;
  /** With Grafana's variables in it. */
  readonly expr: string;
}

/** Whatever a board asks Prometheus for: panels, annotations, and the values of its variables. */
export function expressionsOf({ title, panels, annotations, templating }: Dashboard): readonly Expression[] {
  const shown = panels.flatMap((panel) => (panel.type === 'row' ? [] : panel.targets.map(({ expr, refId }) => ({ of: `${title}: ${panel.title} (${refId})`, expr }))));
  const marked = annotations.list.map(({ name, target }) => ({ of: `${title}: annotation ${name}`, expr: target.expr }));
  const chosen = templating.list.flatMap((variable) => (variable.type === 'query' ? [{ of: `${title}: variable ${variable.name}`, expr: selectorIn(variable.definition) }] : []));
  return [...shown, ...marked, ...chosen];
}

/** `label_values(metric, label)` asks for the values of the label in the metric. */
function selectorIn(definition: string): string {
  const [, selector, label] = /^label_values\((.+), ?([a-z]+)\)$/u.exec(definition) ?? [];
  if (selector === undefined || label === undefined) throw new Error(`not understood: ${definition}`);
  return `group by (${label}) (${selector})`;
}
