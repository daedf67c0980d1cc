import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { gateIn, openGateFile } from './gate-file.ts';

function gateOf(text: string | null) {
  const path = join(temporaryFolder(), 'gate.yaml');
  const write = (more: string) => writeFileSync(path, more);
  if (text !== null) write(text);
  const open = (isNamed = false) => {
    const file = openGateFile({ path, isNamed, log: silentLogger() });
    onTestFinished(() => file.stop());
    return { file, risk: () => file.gate()?.max_risk_level ?? null };
  };
  return { path, write, open };
}

test('follows edits of the gate, and keeps the last good one after a bad edit and after a removal', async () => {
  const { path, write, open } = gateOf('max_risk_level: safe\n');
  const { file, risk } = open();
  expect(risk()).toBe('safe');
  write('max_risk_level: high\n');
  await waitUntil('the bad edit', () => file.readiness().stale === true);
  expect(risk()).toBe('safe');
  write('max_risk_level: standard\n');
  await waitUntil('the correction', () => risk() === 'standard');
  rmSync(path);
  await waitUntil('the removal', () => file.readiness().stale === true);
  expect(risk()).toBe('standard');
});

test('a gate file that appears later applies from then on', async () => {
  const { write, open } = gateOf(null);
  const { file, risk } = open();
  expect(file.gate()).toBe(null);
  write('max_risk_level: safe\n');
  await waitUntil('the gate', () => risk() === 'safe');
});

test('does not start with a bad gate, or if the gate that a setting names is missing', () => {
  expect(() => gateOf('max_risk_level: high\n').open()).toThrow(/gate\.yaml:1:1 max_risk_level/);
  expect(() => gateOf(null).open(true)).toThrow(/the gate of agent manifests is bad/);
});

test('finds the gate in a folder of policies, and none beside a single file', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'one.yaml'), '');
  expect(gateIn(folder)).toBe(join(folder, 'gate.yaml'));
  for (const path of [undefined, join(folder, 'one.yaml'), join(folder, 'gone')])
    expect(gateIn(path)).toBe(null);
});
