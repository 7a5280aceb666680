/** The part of Grafana's dashboard JSON ("classic" model, schema 41: read by 12 and 13) that the boards use. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly schemaVersion: number;
  readonly version: number;
  readonly editable: boolean;
  readonly graphTooltip: 0 | 1 | 2;
  readonly timezone: 'browser';
  readonly refresh: string;
  readonly time: { readonly from: string; readonly to: string };
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly Annotation[] };
  readonly links: readonly Link[];
  readonly panels: readonly (Row | Panel)[];
}

export interface DataSource {
  readonly type: 'prometheus';
  readonly uid: string;
}

export interface GridPos {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Row {
  readonly type: 'row';
  readonly id: number;
  readonly title: string;
  readonly collapsed: boolean;
  readonly gridPos: GridPos;
  readonly panels: readonly never[];
}

export interface Panel {
  readonly type: 'timeseries' | 'stat' | 'bargauge';
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly datasource: DataSource;
  readonly gridPos: GridPos;
  readonly links: readonly Link[];
  readonly targets: readonly Target[];
  readonly fieldConfig: FieldConfig;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Target {
  readonly refId: string;
  readonly datasource: DataSource;
  readonly expr: string;
  readonly legendFormat: string;
  readonly instant: boolean;
  readonly range: boolean;
}

export interface FieldConfig {
  readonly defaults: {
    readonly unit: string;
    readonly noValue: string;
    readonly min?: number;
    readonly max?: number;
    readonly color: { readonly mode: 'thresholds' | 'palette-classic' };
    readonly thresholds: { readonly mode: 'absolute'; readonly steps: readonly Threshold[] };
    readonly custom?: Readonly<Record<string, unknown>>;
  };
  readonly overrides: readonly {
    readonly matcher: { readonly id: 'byRegexp'; readonly options: string };
    readonly properties: readonly { readonly id: string; readonly value: unknown }[];
  }[];
}

/** Ascending; the first one is below everything. */
export interface Threshold {
  readonly color: string;
  readonly value: number | null;
}

export type Variable = DataSourceVariable | QueryVariable | TextVariable;

interface DataSourceVariable {
  readonly type: 'datasource';
  readonly name: string;
  readonly label: string;
  readonly query: 'prometheus';
  readonly hide: 0 | 1 | 2;
  readonly current: Readonly<Record<string, never>>;
}

interface QueryVariable {
  readonly type: 'query';
  readonly name: string;
  readonly label: string;
  readonly datasource: DataSource;
  readonly definition: string;
  readonly query: { readonly query: string; readonly refId: string };
  /** 2: again whenever the time range changes. */
  readonly refresh: 1 | 2;
  readonly sort: 1;
  readonly multi: boolean;
  readonly includeAll: boolean;
  readonly allValue: string;
  readonly hide: 0 | 1 | 2;
  readonly current: { readonly text: string; readonly value: string };
}

interface TextVariable {
  readonly type: 'textbox';
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly query: string;
  readonly hide: 0 | 1 | 2;
  readonly current: { readonly text: string; readonly value: string };
}

export interface Annotation {
  readonly name: string;
  readonly datasource: DataSource;
  readonly enable: boolean;
  readonly hide: boolean;
  readonly iconColor: string;
  readonly target: { readonly refId: 'Anno'; readonly expr: string; readonly interval: string };
  /** The same where versions before 12 look for it. */
  readonly expr: string;
  readonly step: string;
  readonly titleFormat: string;
  readonly textFormat: string;
  readonly tagKeys: string;
  /** The value is when it was, in milliseconds since 1970, in place of the sample's own time. */
  readonly useValueForTime: boolean;
}

export interface Link {
  readonly title: string;
  readonly type: 'link' | 'dashboards';
  readonly icon: string;
  readonly tooltip: string;
  readonly url: string;
  readonly tags: readonly string[];
  readonly asDropdown: boolean;
  readonly targetBlank: boolean;
  readonly includeVars: boolean;
  readonly keepTime: boolean;
}
