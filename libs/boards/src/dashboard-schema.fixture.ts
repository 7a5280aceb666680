import { Type, type TSchema } from 'typebox';
import { Errors } from 'typebox/value';

/** Grafana's "classic" dashboard model as its documentation gives it, as far as the boards may use it: no field besides. */
const exact = <T extends Record<string, TSchema>>(properties: T) => Type.Object(properties, { additionalProperties: false });
const oneOf = (...values: readonly (string | number)[]) => Type.Union(values.map((value) => Type.Literal(value)));
const text = Type.String({ minLength: 1 });

const dataSource = exact({ type: Type.Literal('prometheus'), uid: Type.Literal('${datasource}') });
const gridPos = exact({ x: Type.Integer({ minimum: 0, maximum: 23 }), y: Type.Integer({ minimum: 0 }), w: Type.Integer({ minimum: 1, maximum: 24 }), h: Type.Integer({ minimum: 1 }) });
const link = exact({
  ...{ title: text, type: oneOf('link', 'dashboards'), icon: text, tooltip: Type.String(), url: Type.String(), tags: Type.Array(text) },
  ...{ asDropdown: Type.Boolean(), targetBlank: Type.Boolean(), includeVars: Type.Boolean(), keepTime: Type.Boolean() },
});
const target = exact({ refId: Type.String({ pattern: '^[A-Z]$' }), datasource: dataSource, expr: text, legendFormat: text, instant: Type.Boolean(), range: Type.Boolean() });
const colour = oneOf('green', 'yellow', 'orange', 'red');
const threshold = exact({ color: colour, value: Type.Union([Type.Number(), Type.Null()]) });
const lines = exact({
  ...{ drawStyle: Type.Literal('line'), lineWidth: Type.Number(), fillOpacity: Type.Number(), showPoints: oneOf('never', 'auto'), spanNulls: Type.Boolean(), axisSoftMin: Type.Number() },
  thresholdsStyle: exact({ mode: oneOf('off', 'dashed') }),
});
const fieldConfig = exact({
  defaults: exact({
    ...{ unit: text, noValue: text, min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
    color: exact({ mode: oneOf('thresholds', 'palette-classic') }),
    thresholds: exact({ mode: Type.Literal('absolute'), steps: Type.Array(threshold, { minItems: 1 }) }),
    custom: Type.Optional(lines),
  }),
  overrides: Type.Array(
    exact({ matcher: exact({ id: Type.Literal('byRegexp'), options: text }), properties: Type.Array(exact({ id: Type.Literal('custom.lineStyle'), value: exact({ fill: Type.Literal('dash'), dash: Type.Array(Type.Number()) }) })) }),
  ),
});
const reduced = exact({ values: Type.Boolean(), calcs: Type.Array(text), fields: Type.String() });

function panel(type: string, options: TSchema) {
  return exact({
    ...{ type: Type.Literal(type), id: Type.Integer({ minimum: 1 }), title: text, description: text, datasource: dataSource, gridPos, links: Type.Array(link) },
    ...{ targets: Type.Array(target, { minItems: 1 }), fieldConfig, options },
  });
}

const panels = [
  panel('timeseries', exact({
    legend: exact({ displayMode: oneOf('list', 'table'), placement: oneOf('bottom', 'right'), showLegend: Type.Boolean(), calcs: Type.Array(text) }),
    tooltip: exact({ mode: oneOf('single', 'multi'), sort: oneOf('none', 'asc', 'desc') }),
  })),
  panel('stat', exact({ reduceOptions: reduced, colorMode: oneOf('background', 'value', 'none'), graphMode: oneOf('none', 'area'), justifyMode: oneOf('auto', 'center'), orientation: oneOf('auto', 'horizontal', 'vertical'), textMode: oneOf('auto', 'value') })),
  panel('bargauge', exact({ reduceOptions: reduced, displayMode: oneOf('basic', 'gradient', 'lcd'), orientation: oneOf('auto', 'horizontal', 'vertical'), showUnfilled: Type.Boolean(), minVizHeight: Type.Number() })),
  exact({ type: Type.Literal('row'), id: Type.Integer({ minimum: 1 }), title: text, collapsed: Type.Boolean(), gridPos, panels: Type.Array(Type.Never(), { maxItems: 0 }) }),
];

const hide = oneOf(0, 1, 2);
const current = exact({ text, value: text });
const variables = [
  exact({ type: Type.Literal('datasource'), name: text, label: text, query: Type.Literal('prometheus'), hide, current: exact({}) }),
  exact({
    ...{ type: Type.Literal('query'), name: text, label: text, datasource: dataSource, definition: text, query: exact({ query: text, refId: text }) },
    ...{ refresh: oneOf(1, 2), sort: Type.Literal(1), multi: Type.Boolean(), includeAll: Type.Boolean(), allValue: text, hide, current },
  }),
  exact({ type: Type.Literal('textbox'), name: text, label: text, description: text, query: text, hide, current }),
];
const annotation = exact({
  ...{ name: text, datasource: dataSource, enable: Type.Boolean(), hide: Type.Boolean(), iconColor: text, expr: text, step: text, titleFormat: text, textFormat: Type.String() },
  ...{ tagKeys: text, useValueForTime: Type.Boolean(), target: exact({ refId: Type.Literal('Anno'), expr: text, interval: text }) },
});

const DASHBOARD = exact({
  ...{ uid: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,40}$' }), title: text, description: text, tags: Type.Array(text), schemaVersion: Type.Literal(41), version: Type.Integer({ minimum: 1 }) },
  ...{ editable: Type.Boolean(), graphTooltip: oneOf(0, 1, 2), timezone: Type.Literal('browser'), refresh: text, time: exact({ from: text, to: text }) },
  templating: exact({ list: Type.Array(Type.Union(variables)) }),
  annotations: exact({ list: Type.Array(annotation) }),
  links: Type.Array(link),
  panels: Type.Array(Type.Union(panels)),
});

/** What is not as the model says; empty: nothing. */
export function faultsOf(board: unknown): readonly string[] {
  return Errors(DASHBOARD, board).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
