/**
 * Runs promtool, the checker of Prometheus, on the configuration, the rules, their tests and the expressions of the
 * panels.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithPromtool, promtool, temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { expressions, PROMETHEUS } from './observed-files.ts';

describeWithPromtool('Prometheus', () => {
  test('accepts the configuration with its rules', async () => {
    const { ok, said } = await promtool(['check', 'config', 'prometheus.yaml'], PROMETHEUS);
    expect({ ok, said }).toEqual({ ok: true, said: expect.stringContaining('rules found') });
  });

  test('fires each alert when it should, and not otherwise', async () => {
    const files = ['alerts.test.yaml', 'block-rate.test.yaml'];
    const { ok, said } = await promtool(['test', 'rules', ...files], PROMETHEUS);
    expect([ok, said]).toEqual([true, expect.any(String)]);
  });

  test('fails if the threshold of an alert was changed', async () => {
    const folder = temporaryFolder();
    cpSync(PROMETHEUS, folder, { recursive: true });
    const { groups } = { groups: [{ name: 'mandate', rules: [{ alert: 'MandateDown', expr: 'up == 7' }] }] };
    writeFileSync(join(folder, 'alerts.yaml'), stringify({ groups }));
    expect(await promtool(['test', 'rules', 'alerts.test.yaml'], folder)).toMatchObject({ ok: false });
  });

  test('parses every expression of a panel', async () => {
    const folder = temporaryFolder();
    const rules = (broken: string[]) =>
      [...expressions().map(({ expr }) => expr), ...broken].map((expr, at) => ({
        record: `panel:${at}`,
        expr,
      }));
    const check = (broken: string[] = []) => {
      writeFileSync(
        join(folder, 'panels.yaml'),
        stringify({ groups: [{ name: 'panels', rules: rules(broken) }] }),
      );
      return promtool(['check', 'rules', 'panels.yaml'], folder);
    };
    expect(await check()).toMatchObject({ ok: true });
    expect(await check(['sum by (a (b)'])).toMatchObject({ ok: false });
  });
});
