/**
 * Makes Grafana dashboards from a short description: panels in rows, each with its query, its unit and its meaning.
 * The JSON that Grafana reads is ten times as long, because it repeats all other settings in every panel.
 */
import { jsonText } from '../generated-file.ts';

/** `locale` shows the whole number, such as 12,345; `short` shows 12.3 K. */
type Unit =
  | 'cps'
  | 'locale'
  | 'short'
  | 's'
  | 'ms'
  | 'bytes'
  | 'percentunit'
  | 'currencyUSD'
  | 'dateTimeAsIso';

/** A query in PromQL, and the names of the series that it returns. */
export type Expression = { expr: string; legend: string };

/** A panel is yellow from the value `yellow` upwards, and red from the value `red` upwards. */
type Alarming = { yellow?: number; red: number };

type Panel = {
  title: string;
  /** Text for the reader: what the panel shows, and what to conclude from it. */
  description: string;
  kind: 'timeseries' | 'stat' | 'table';
  unit: Unit;
  /** The unit of each column that does not have the panel's unit, by column name. */
  columns?: Readonly<Record<string, Unit>>;
  /** For a stat panel: from these values upwards, it is yellow or red instead of green. */
  alarming?: Alarming;
  /**
   * For a table: the columns with shares, by name. Each share is drawn as a bar, which is yellow or red from these
   * values upwards.
   */
  bars?: Readonly<Record<string, Alarming>>;
  /** The series are verdicts. Each verdict has its own colour. */
  byVerdict?: boolean;
  /**
   * For a time series: shows «None» if there is no series, instead of missing data. (In a table this would fill empty
   * cells.)
   */
  noneIsGood?: boolean;
  /** For a table: 1 is shown as good, 0 as bad, and the time of the measurement without a colour. */
  answersYesOrNo?: boolean;
  stacked?: boolean;
  /** True if the panel is twice as wide as the other panels of its row. */
  wide?: boolean;
} & ({ expressions: readonly Expression[] } | { sql: string });

/** `query` returns the values that the user can choose from. Without `query`, the user types the value. */
type Variable =
  | { name: string; label: string; initially: string }
  | { name: string; label: string; query: string };

export type Dashboard = {
  uid: string;
  title: string;
  description: string;
  source: 'prometheus' | 'clickhouse';
  variables: readonly Variable[];
  rows: readonly { title: string; panels: readonly Panel[] }[];
};

/**
 * The user selects the data source at the top of the dashboard, so the dashboard works in any Grafana without
 * changes.
 */
const SOURCES = {
  prometheus: { type: 'prometheus', uid: `\${source}` },
  clickhouse: { type: 'grafana-clickhouse-datasource', uid: `\${source}` },
} as const;

/** The width of Grafana's grid. */
const WIDTH = 24;
const HEIGHTS = { timeseries: 8, table: 9, stat: 4 };

export function dashboardText(dashboard: Dashboard): string {
  const { uid, title, description, source, variables, rows } = dashboard;
  return jsonText({
    uid,
    title,
    description,
    tags: ['mandate'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [
        { name: 'source', label: 'Data source', type: 'datasource', query: SOURCES[source].type },
        ...variables.map((variable) => variableOf(variable, SOURCES[source])),
      ],
    },
    annotations: { list: [] },
    panels: laidOut(rows, SOURCES[source]),
  });
}

type Source = (typeof SOURCES)[keyof typeof SOURCES];

/**
 * Computes the positions of all panels. Panels of one row are side by side. Panel ids are numbers that continue from
 * row to row.
 */
function laidOut(rows: Dashboard['rows'], source: Source): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    const rowAt = { h: 1, w: WIDTH, x: 0, y };
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: rowAt, panels: [] });
    const h = Math.max(...inRow.map(({ kind }) => HEIGHTS[kind]));
    const shares = inRow.map(({ wide }) => (wide ? 2 : 1));
    const cell = WIDTH / sum(shares);
    for (const [at, panel] of inRow.entries()) {
      const x = Math.round(cell * sum(shares.slice(0, at)));
      const w = Math.round(cell * sum(shares.slice(0, at + 1))) - x;
      panels.push({ id: panels.length + 1, gridPos: { h, w, x, y: y + 1 }, ...panelOf(panel, source) });
    }
    y += 1 + h;
  }
  return panels;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function panelOf(panel: Panel, source: Source): object {
  const { title, description, kind, alarming, answersYesOrNo } = panel;
  return {
    type: kind,
    title,
    description,
    datasource: source,
    fieldConfig: { defaults: defaultsOf(panel), overrides: overridesOf(panel) },
    options: kind === 'stat' ? { ...OPTIONS.stat, colorMode: alarming ? 'value' : 'none' } : OPTIONS[kind],
    ...(kind === 'timeseries' && 'sql' in panel && { maxDataPoints: MOST_POINTS }),
    ...(answersYesOrNo && { transformations: [ONLY_WHETHER] }),
    targets: targetsOf(panel, source),
  };
}

/**
 * The maximum number of points of a series. With this number, a point of a week is an hour, and a point of a year is a
 * day. Rollups contain sums for such hours and days.
 */
const MOST_POINTS = 200;

function defaultsOf(panel: Panel): object {
  const { kind, unit, alarming, noneIsGood } = panel;
  return {
    unit,
    ...(kind === 'timeseries' && { min: 0, custom: curves(panel) }),
    ...(alarming && { thresholds: thresholds(alarming) }),
    ...(kind === 'stat' && unit === 'locale' && { decimals: 0 }),
    ...(noneIsGood && { noValue: 'None' }),
  };
}

/** If several overrides fit, Grafana takes the last one. */
function overridesOf({ kind, columns = {}, bars = {}, byVerdict, answersYesOrNo }: Panel): object[] {
  return [
    ...(kind === 'table' ? NARROW : []),
    ...Object.entries(columns).map(([name, value]) => override('byName', name, { unit: value })),
    ...Object.entries(bars).map(([name, alarming]) => override('byName', name, bar(alarming))),
    ...(byVerdict ? VERDICTS : []),
    ...(answersYesOrNo ? [override('byName', 'Value', YES_OR_NO)] : []),
  ];
}

function curves({ stacked = false }: Panel): object {
  return stacked
    ? { drawStyle: 'bars', fillOpacity: 60, lineWidth: 0, stacking: { mode: 'normal', group: 'A' } }
    : { drawStyle: 'line', fillOpacity: 5, lineWidth: 1 };
}

function override(matcher: 'byName' | 'byRegexp' | 'byType', options: string, properties: object): object {
  return {
    matcher: { id: matcher, options },
    properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
  };
}

/** Columns with numbers and times are only as wide as needed. Columns with text share the rest of the width. */
const NARROW = [
  override('byType', 'number', { 'custom.width': 95 }),
  override('byType', 'time', { 'custom.width': 170 }),
];

/** A verdict has the same colour everywhere. Series from ClickHouse have the column's name before theirs. */
const VERDICTS = Object.entries({ ALLOW: 'green', BLOCK: 'red', DEFER: 'yellow' }).map(([verdict, colour]) =>
  override('byRegexp', `/(^| )${verdict}$/`, {
    displayName: verdict,
    color: { mode: 'fixed', fixedColor: colour },
  }),
);

function thresholds({ yellow, red }: Alarming): object {
  const steps = [
    { value: null, color: 'green' },
    ...(yellow === undefined ? [] : [{ value: yellow, color: 'yellow' }]),
    { value: red, color: 'red' },
  ];
  return { mode: 'absolute', steps };
}

/** A share that is drawn as a bar in its cell. */
function bar(alarming: Alarming): object {
  return {
    min: 0,
    max: 1,
    thresholds: thresholds(alarming),
    color: { mode: 'thresholds' },
    'custom.cellOptions': { type: 'gauge', mode: 'basic' },
    'custom.width': 150,
  };
}

const YES_OR_NO = {
  mappings: [
    { type: 'value', options: { 0: { text: 'no', color: 'red' }, 1: { text: 'yes', color: 'green' } } },
  ],
  'custom.cellOptions': { type: 'color-text' },
};

const ONLY_WHETHER = {
  id: 'organize',
  options: { excludeByName: { Time: true }, renameByName: { Value: 'ok' } },
};

const OPTIONS = {
  timeseries: {
    legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: { reduceOptions: { calcs: ['lastNotNull'] }, graphMode: 'area' },
  table: { cellHeight: 'sm', showHeader: true },
};

const NAMES = 'ABCDEFGH';

function targetsOf(panel: Panel, datasource: Source): object[] {
  if ('expressions' in panel) {
    return panel.expressions.map(({ expr, legend }, at) => ({
      refId: NAMES[at],
      datasource,
      expr,
      legendFormat: legend,
      instant: panel.kind === 'table',
      format: panel.kind === 'table' ? 'table' : 'time_series',
    }));
  }
  const queryType = panel.kind === 'timeseries' ? 'timeseries' : 'table';
  // `format` repeats the query type as the number that the plugin's backend uses.
  const format = queryType === 'timeseries' ? 0 : 1;
  return [{ refId: 'A', datasource, editorType: 'sql', queryType, format, rawSql: panel.sql }];
}

function variableOf(variable: Variable, datasource: Source): object {
  const { name, label } = variable;
  if ('initially' in variable) {
    return {
      name,
      label,
      type: 'textbox',
      query: variable.initially,
      current: { value: variable.initially, text: variable.initially },
    };
  }
  const everything = { value: ['$__all'], text: ['All'] };
  return {
    name,
    label,
    type: 'query',
    datasource,
    query: variable.query,
    refresh: 2,
    multi: true,
    includeAll: true,
    current: everything,
  };
}
