/** The files in infra/ for Grafana and Prometheus, parsed as these programs read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const INFRA = join(import.meta.dirname, '../../../infra');
export const PROMETHEUS = join(INFRA, 'prometheus');
const DASHBOARDS = join(INFRA, 'grafana/generated');

export type GrafanaPanel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  fieldConfig?: {
    defaults: { unit?: string };
    overrides: { matcher: { id: string; options: string }; properties: { id: string; value: string }[] }[];
  };
  targets?: { refId: string; expr?: string; rawSql?: string; queryType?: string }[];
};

export type GrafanaDashboard = {
  uid: string;
  title: string;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: GrafanaPanel[];
};

export function grafanaDashboards(): GrafanaDashboard[] {
  return readdirSync(DASHBOARDS).map((name) => JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')));
}

export function panelsOf({ panels }: GrafanaDashboard): GrafanaPanel[] {
  return panels.filter(({ type }) => type !== 'row');
}

type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

export function alertRules(): Rule[] {
  const file = parse(readFileSync(join(PROMETHEUS, 'alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  return file.groups.flatMap(({ rules }) => rules);
}

/** Returns every expression of a panel or rule with its position, in the form that Grafana sends to Prometheus. */
export function expressions(): { at: string; expr: string }[] {
  const panels = grafanaDashboards().flatMap((dashboard) =>
    panelsOf(dashboard).flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) =>
        expr === undefined
          ? []
          : [{ at: `${dashboard.title}: ${title}`, expr: expr.replaceAll('$__rate_interval', '1m') }],
      ),
    ),
  );
  const rules = alertRules().map(({ alert, record, expr }) => ({ at: alert ?? record ?? '', expr }));
  return [...panels, ...rules];
}
