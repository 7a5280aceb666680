import { ruleAt, type AlertRule, type AlertRules } from './alert-rules.js';
import type { DataSource, FieldConfig, Link, Panel, Target, Threshold } from './model.js';

export const DATA_SOURCE: DataSource = { type: 'prometheus', uid: '${datasource}' };

/** What a panel shows; where it stands is reckoned from the order. */
export interface PanelSpec {
  readonly type: Panel['type'];
  readonly title: string;
  /** What it shows and what is unusual; one or two sentences. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** Of 24. */
  readonly width: number;
  /** The alert that goes by it, and the number that it compares with; without a number it only links to the runbook. */
  readonly alert?: { readonly name: string; readonly at?: number };
  /** What there is no alert of, and is worth a colour all the same. */
  readonly worthALook?: { readonly at: number; readonly below?: boolean };
  readonly noValue?: string;
  readonly max?: number;
  /** Series whose legend matches are drawn as a dashed line: what others are compared with. */
  readonly dashed?: string;
}

export type Unit = 'short' | 's' | 'ms' | 'bytes' | 'percentunit' | 'ops' | 'reqps' | 'none' | 'dateTimeAsIso' | 'bool_on_off';

/** Its expression, and how its series are called. */
export type Query = readonly [expr: string, legend: string];

const COLOURS: Readonly<Record<string, string>> = { critical: 'red', warning: 'orange' };
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function panelOf(spec: PanelSpec, rules: AlertRules, place: Pick<Panel, 'id' | 'gridPos'>): Panel {
  const rule = spec.alert === undefined ? null : ruleAt(rules, spec.alert.name, spec.alert.at);
  const instant = spec.type !== 'timeseries';
  return {
    type: spec.type,
    ...place,
    title: spec.title,
    description: rule === null ? spec.description : `${spec.description} Alert: ${rule.alert} (${rule.runbook}).`,
    datasource: DATA_SOURCE,
    links: rule === null ? [] : [runbookLink(rule)],
    targets: spec.queries.map(([expr, legend], i) => targetOf(LETTERS[i] ?? '', expr, legend, instant)),
    fieldConfig: fieldConfigOf(spec, rule),
    options: OPTIONS[spec.type],
  };
}

function targetOf(refId: string, expr: string, legendFormat: string, instant: boolean): Target {
  return { refId, datasource: DATA_SOURCE, expr, legendFormat, instant, range: !instant };
}

function fieldConfigOf(spec: PanelSpec, rule: AlertRule | null): FieldConfig {
  const { unit, noValue = 'none', max, dashed, type } = spec;
  const steps = stepsOf(spec, rule);
  const drawn = type === 'timeseries';
  return {
    defaults: {
      unit,
      noValue,
      min: 0,
      ...(max !== undefined && { max }),
      color: { mode: drawn ? 'palette-classic' : 'thresholds' },
      thresholds: { mode: 'absolute', steps },
      ...(drawn && { custom: { ...LINES, thresholdsStyle: { mode: steps.length > 1 ? 'dashed' : 'off' } } }),
    },
    overrides: dashed === undefined ? [] : [{ matcher: { id: 'byRegexp', options: dashed }, properties: [{ id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } }] }],
  };
}

function stepsOf({ alert, worthALook }: PanelSpec, rule: AlertRule | null): readonly Threshold[] {
  if (alert?.at !== undefined) return [{ color: 'green', value: null }, { color: COLOURS[rule?.severity ?? ''] ?? 'orange', value: alert.at }];
  if (worthALook === undefined) return [{ color: 'green', value: null }];
  const [low, high] = worthALook.below === true ? ['yellow', 'green'] : ['green', 'yellow'];
  return [{ color: low, value: null }, { color: high, value: worthALook.at }];
}

const LINES = { drawStyle: 'line', lineWidth: 1, fillOpacity: 8, showPoints: 'never', spanNulls: false, axisSoftMin: 0 } as const;

const OPTIONS: Readonly<Record<Panel['type'], Panel['options']>> = {
  timeseries: {
    legend: { displayMode: 'table', placement: 'bottom', showLegend: true, calcs: ['lastNotNull', 'max'] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: {
    reduceOptions: { values: false, calcs: ['lastNotNull'], fields: '' },
    colorMode: 'background',
    graphMode: 'none',
    justifyMode: 'auto',
    orientation: 'auto',
    textMode: 'auto',
  },
  bargauge: {
    reduceOptions: { values: false, calcs: ['lastNotNull'], fields: '' },
    displayMode: 'basic',
    orientation: 'horizontal',
    showUnfilled: true,
    minVizHeight: 16,
  },
};

export function link(title: string, url: string, more: Partial<Link> = {}): Link {
  return { title, type: 'link', icon: 'external link', tooltip: '', url, tags: [], asDropdown: false, targetBlank: true, includeVars: false, keepTime: false, ...more };
}

function runbookLink({ alert, runbook }: AlertRule): Link {
  return link(`Runbook: ${alert}`, `\${docs}/${runbook.replace(/^docs\//u, '')}`);
}
