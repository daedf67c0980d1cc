/**
 * Tests that the files for Grafana and Prometheus have titles, units and advice, and name only metrics and labels
 * that exist.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERDICTS } from '@mandate/schemas';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertRules, expressions, grafanaDashboards, panelsOf } from '../e2e/observe/observed-files.ts';
import { ROOT } from './repository.ts';
import { readTree } from './tree.ts';

const dashboards = grafanaDashboards();

it('the folder has a dashboard of the plane and a dashboard of the audit', () => {
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual(['mandate-audit', 'mandate-plane']);
});

describe.each(dashboards)('the dashboard "$title"', (dashboard) => {
  const panels = panelsOf(dashboard);

  it('has unique panel ids, and panels that do not overlap', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => w > 0 && x + w <= 24)).toBe(true);
  });

  it('states for each panel what it shows, its unit and its data source', () => {
    expect(panels.length).toBeGreaterThan(10);
    for (const { title, description, datasource, fieldConfig, targets = [] } of panels) {
      expect([title, description?.endsWith('.') || description?.endsWith('`.'), datasource?.uid]).toEqual([
        expect.stringMatching(/\S/),
        true,
        `\${source}`,
      ]);
      expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/\S/)]);
      expect([title, targets.length]).toEqual([title, expect.any(Number)]);
      expect(targets.length).toBeGreaterThan(0);
      for (const { expr, rawSql } of targets) expect(expr ?? rawSql).toMatch(/\S/);
    }
  });

  it('gives each verdict its own colour', () => {
    const panel = panels.find(({ title }) => title === 'Decisions by verdict');
    for (const verdict of VERDICTS) {
      const fits = panel?.fieldConfig?.overrides.filter(
        ({ matcher }) =>
          matcher.id === 'byRegexp' && new RegExp(matcher.options.slice(1, -1)).test(`decisions ${verdict}`),
      );
      expect([verdict, fits?.map(({ properties }) => properties.map(({ id }) => id))]).toEqual([
        verdict,
        [['displayName', 'color']],
      ]);
    }
  });

  it('gives no title to two panels of one row', () => {
    const titles = panels.map(({ title, gridPos: { y } }) => `${y} ${title}`);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('an alert', () => {
  const alerts = alertRules().filter(({ alert }) => alert !== undefined);
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const anchors = [...page.matchAll(/^#{2,4} (\w+)$/gm)].map(([, title = '']) => title.toLowerCase());

  it.each(alerts)(
    '$alert states its severity, its meaning and what to do',
    ({ alert, labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels?.severity);
      expect(annotations?.summary).toMatch(/\S/);
      expect(annotations?.description).toMatch(/\.$/);
      expect(annotations?.runbook).toBe(`docs/operations.md#${alert?.toLowerCase()}`);
      expect(anchors).toContain(alert?.toLowerCase());
    },
  );

  it('has a test in which it fires', () => {
    const tests = ['alerts.test.yaml', 'block-rate.test.yaml']
      .map((name) => readFileSync(join(ROOT, 'infra/prometheus', name), 'utf8'))
      .join('');
    expect(alerts.filter(({ alert = '' }) => !tests.includes(alert)).map(({ alert }) => alert)).toEqual([]);
  });
});

describe('an expression of a dashboard or an alert', () => {
  const source = [...readTree(ROOT).files]
    .filter(([path]) => /^(packages|services)\//.test(path) && !path.endsWith('.test.ts'))
    .map(([, text]) => text)
    .join('\n');
  /**
   * The labels of each metric, by the metric's name. They are read from calls of `metrics.counter({ name, labels })`.
   */
  const labelsOf = new Map(
    [...source.matchAll(/name: '(mandate_\w+)',([^}]*)/g)].map(([, name = '', rest = '']) => {
      const [, labels = ''] = /labels: \[([^\]]*)\]/.exec(rest) ?? [];
      return [name, [...labels.matchAll(/'(\w+)'/g)].map(([, label = '']) => label)];
    }),
  );
  /**
   * Labels that no call names: each process adds `service` to all of its metrics, and Prometheus and its histograms
   * add the others.
   */
  const ALWAYS = ['job', 'instance', 'service', 'le'];

  it.each(expressions())('at "$at" selects only by labels that the metric has', ({ expr }) => {
    for (const [, name = '', matchers = ''] of expr.matchAll(
      /\b(mandate_\w+?)(?:_bucket|_count|_sum)?\{([^}]*)\}/g,
    )) {
      const known = [...(labelsOf.get(name) ?? []), ...ALWAYS];
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[=!]/g))
        expect([name, known]).toEqual([name, expect.arrayContaining([label])]);
    }
    for (const [, list = '', name = ''] of expr.matchAll(
      /by \(([^)]*)\) \((?:\w+\()?(mandate_\w+?)(?:_bucket|_count)?\b/g,
    )) {
      const known = [...(labelsOf.get(name) ?? []), ...ALWAYS];
      for (const label of list.split(/,\s*/))
        expect([name, known]).toEqual([name, expect.arrayContaining([label])]);
    }
  });
});

describe('docker compose --profile observe', () => {
  const yaml = (path: string) => parse(readFileSync(join(ROOT, path), 'utf8'), { merge: true });
  const { services } = yaml('docker-compose.yml');

  it('scrapes every service of Mandate, under its name and port in docker-compose.yml', () => {
    const [job] = yaml('infra/prometheus/prometheus.yaml').scrape_configs;
    const targets: string[] = [
      ...job.static_configs[0].targets,
      ...job.dns_sd_configs.map(
        ({ names, port }: { names: string[]; port: number }) => `${names[0]}:${port}`,
      ),
    ];
    const ours = Object.entries<{ healthcheck?: object }>(services).flatMap(([name, { healthcheck }]) => {
      const [, port] = /:(\d+)\/readyz/.exec(JSON.stringify(healthcheck ?? {})) ?? [];
      return port === undefined ? [] : [`${name}:${port}`];
    });
    expect(ours.length).toBeGreaterThan(3);
    expect(targets.sort()).toEqual(ours.sort());
  });

  it('mounts only files that exist, and connects as the user whose password it has', () => {
    const mounted = [...services.prometheus.volumes, ...services.grafana.volumes].filter((mount: string) =>
      mount.startsWith('./'),
    );
    expect(mounted.length).toBe(3);
    for (const mount of mounted) expect(existsSync(join(ROOT, mount.split(':')[0]))).toBe(true);
    const [, audit] = yaml('infra/grafana/provisioning/datasources/mandate.yaml').datasources;
    expect(audit.jsonData.username).toBe(services.query.environment.MANDATE_CLICKHOUSE_USER);
    expect(services.grafana.env_file).toEqual(['./infra/docker/secrets/query.env']);
    const [provider] = yaml('infra/grafana/provisioning/dashboards/mandate.yaml').providers;
    expect(services.grafana.volumes).toContain(`./infra/grafana/generated:${provider.options.path}:ro`);
  });

  it('pins its images, and publishes its ports to this machine only', () => {
    for (const { image, ports } of [services.prometheus, services.grafana]) {
      expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
      expect(ports.every((port: string) => port.startsWith('127.0.0.1:'))).toBe(true);
    }
  });
});
