/**
 * Dashboards of Grafana from what one wants to say: panels in rows, each with its question, its unit and what it means.
 * The JSON that Grafana reads is ten times as long, and says the rest the same way in every panel.
 */
import { jsonText } from '../generated-file.ts';

type Unit = 'cps' | 'short' | 's' | 'ms' | 'bytes' | 'percentunit' | 'currencyUSD' | 'bool' | 'dateTimeAsIso';

/** A question in PromQL, and what its series are called. */
export type Expression = { expr: string; legend: string };

type Panel = {
  title: string;
  /** What it shows, and what to make of it. */
  description: string;
  kind: 'timeseries' | 'stat' | 'table';
  unit: Unit;
  /** The units of columns that have another: by name. */
  columns?: Readonly<Record<string, Unit>>;
  stacked?: boolean;
} & ({ expressions: readonly Expression[] } | { sql: string });

/** `query`: what its values are read by; absent: the person types it. */
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

/** Which one is picked above the dashboard: so it can be put into any Grafana as it is. */
const SOURCES = {
  prometheus: { type: 'prometheus', uid: `\${source}` },
  clickhouse: { type: 'grafana-clickhouse-datasource', uid: `\${source}` },
} as const;

/** Grafana's grid is 24 wide. */
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

/** Row by row, the panels of a row side by side and equally wide; ids count through. */
function laidOut(rows: Dashboard['rows'], source: Source): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    const rowAt = { h: 1, w: WIDTH, x: 0, y };
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: rowAt, panels: [] });
    const h = Math.max(...inRow.map(({ kind }) => HEIGHTS[kind]));
    const w = Math.floor(WIDTH / inRow.length);
    for (const [at, panel] of inRow.entries()) {
      panels.push({
        id: panels.length + 1,
        gridPos: { h, w, x: at * w, y: y + 1 },
        ...panelOf(panel, source),
      });
    }
    y += 1 + h;
  }
  return panels;
}

function panelOf(panel: Panel, source: Source): object {
  const { title, description, kind, unit, columns = {} } = panel;
  return {
    type: kind,
    title,
    description,
    datasource: source,
    fieldConfig: {
      defaults: { unit, ...(kind === 'timeseries' ? { min: 0, custom: curves(panel) } : {}) },
      overrides: Object.entries(columns).map(([name, value]) => ({
        matcher: { id: 'byName', options: name },
        properties: [{ id: 'unit', value }],
      })),
    },
    options: OPTIONS[kind],
    targets: targetsOf(panel, source),
  };
}

function curves({ stacked = false }: Panel): object {
  return stacked
    ? { drawStyle: 'bars', fillOpacity: 60, lineWidth: 0, stacking: { mode: 'normal' } }
    : { drawStyle: 'line', fillOpacity: 5, lineWidth: 1 };
}

const OPTIONS = {
  timeseries: {
    legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'none', graphMode: 'area' },
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
  // `format` is the same once more, as the plugin's backend counts it.
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
