/** Rules and panels use only metrics that a running plane exports at /metrics. */
import { startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { alertRules, expressions } from './observed-files.ts';

/** The metrics that Prometheus itself adds for every target. */
const OF_PROMETHEUS = ['up'];

/** The words of PromQL that can stand where a metric name is expected. */
const WORDS = new Set(['and', 'or', 'by', 'on', 'offset', 'unless', 'ignoring', 'without']);

function metricsIn(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|on|without|ignoring) *\([^)]*\)/g, '')
    .replace(/\boffset \w+/g, '');
  return [...bare.matchAll(/[a-z_:][\w:]*(?!\w*\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name) && !new RegExp(`\\b${name}\\s*\\(`).test(bare));
}

test('a running plane exports every metric that a rule or panel names', async () => {
  const plane = await startPlane({ data: temporaryFolder() });
  onTestFinished(async () => void (await plane.kill()));
  const told = await waitUntil('the metrics of a plane that is ready', async () => {
    const text = await (await fetch(`${plane.url}/metrics`)).text();
    return text.includes('mandate_readiness_ok{') && text;
  });
  const types = new Map(
    [...told.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const known = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );
  const recorded = alertRules().flatMap(({ record }) => record ?? []);
  const named = expressions().flatMap(({ expr }) => metricsIn(expr));
  expect(new Set(named).size).toBeGreaterThan(15);
  const missing = named.filter((name) => ![...known, ...recorded, ...OF_PROMETHEUS].includes(name));
  expect([...new Set(missing)]).toEqual([]);
});
