import type { AlertRules } from './alert-rules.js';
import { annotationsOf } from './annotations.js';
import type { Dashboard, GridPos, Panel, Row, Variable } from './model.js';
import { link, panelOf, type PanelSpec } from './panel.js';
import { DATA_SOURCES, DOCS, JOB, JOBWARDEN } from './variables.js';

export interface BoardSpec {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Beside those that all have. */
  readonly variables: readonly Variable[];
  /** What of the queue `$queue` is marked; else what of any. */
  readonly ofQueue?: boolean;
  /** Where of Jobwarden's own dashboard one goes on looking. */
  readonly goesOn: { readonly title: string; readonly path: string };
  readonly rows: readonly RowSpec[];
}

export interface RowSpec {
  readonly title: string;
  readonly panels: readonly PanelSpec[];
}

const TAG = 'jobwarden';
const SCHEMA_VERSION = 41;
const HEIGHT = { stat: 4, bargauge: 8, timeseries: 8 } as const;

/** The board as Grafana reads it. */
export function boardOf(spec: BoardSpec, rules: AlertRules): Dashboard {
  return {
    uid: spec.uid,
    title: spec.title,
    description: spec.description,
    tags: [TAG],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [DATA_SOURCES, JOB, ...spec.variables, JOBWARDEN, DOCS] },
    annotations: { list: annotationsOf(spec.ofQueue === true) },
    links: [
      link(spec.goesOn.title, `\${jobwarden}${spec.goesOn.path}`),
      link('Boards of Jobwarden', '', { type: 'dashboards', tags: [TAG], asDropdown: true, targetBlank: false, includeVars: true, keepTime: true }),
    ],
    panels: laidOut(spec.rows, rules),
  };
}

/** Row by row, from the left; a panel that finds no room begins the next line. */
function laidOut(rows: readonly RowSpec[], rules: AlertRules): readonly (Row | Panel)[] {
  const panels: (Row | Panel)[] = [];
  let y = 0;
  const nextId = () => panels.length + 1;
  for (const { title, panels: specs } of rows) {
    panels.push({ type: 'row', id: nextId(), title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const spec of specs) {
      const h = HEIGHT[spec.type];
      if (x + spec.width > 24) {
        y += lineHeight;
        [x, lineHeight] = [0, 0];
      }
      const gridPos: GridPos = { x, y, w: spec.width, h };
      panels.push(panelOf(spec, rules, { id: nextId(), gridPos }));
      x += spec.width;
      lineHeight = Math.max(lineHeight, h);
    }
    y += lineHeight;
  }
  return panels;
}
