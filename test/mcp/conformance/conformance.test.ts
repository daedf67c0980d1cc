/**
 * The official conformance suite against our own fixture, directly and through relays. A relay that changes nothing
 * must have the same result, and a relay that loses something must have another.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { recordHttp } from '../wire/http-recorder.ts';
import { startStdioBridge } from '../wire/stdio-bridge.ts';
import type { Command } from '../wire/stdio-process.ts';
import { REVISIONS, runConformance } from './run-conformance.ts';

/** The fewest checks that a run contains. A run with fewer has left scenarios out. */
const FEWEST_CHECKS = { '2025-11-25': 84, '2026-07-28': 190 };

const STDIO: Command = [
  process.execPath,
  fileURLToPath(import.meta.resolve('../conformance-server/stdio.fixture.ts')),
];

describe.each(REVISIONS)('the conformance suite for %s', (revision) => {
  test('passes against the fixture, also through a relay that changes nothing', async () => {
    await using fixture = await serveFixtureOverHttp();
    const direct = await runConformance(fixture.url, revision);
    expect(direct.exitCode, direct.output).toBe(0);
    expect(direct.checks.length).toBeGreaterThanOrEqual(FEWEST_CHECKS[revision]);
    await using relay = await recordHttp(fixture.url);
    const relayed = await runConformance(relay.url, revision);
    expect(relayed.checks).toEqual(direct.checks);
    expect(relayed.exitCode).toBe(0);
  });

  test('passes against the fixture over stdio', async () => {
    await using bridge = await startStdioBridge(STDIO);
    const { exitCode, checks, output } = await runConformance(bridge.url, revision);
    expect(exitCode, output).toBe(0);
    expect(checks.length).toBeGreaterThanOrEqual(FEWEST_CHECKS[revision] - 1);
  });
});

test.each<[string, Parameters<typeof recordHttp>[1], string]>([
  [
    'renames progress',
    { chunk: (chunk) => replaced(chunk, 'notifications/progress', 'notifications/elsewhere') },
    'tools-call-with-progress tools-call-with-progress FAILURE',
  ],
  [
    'renames the ids of events',
    { chunk: (chunk) => replaced(chunk, 'id: ', 'no: ') },
    'server-sse-polling server-sse-priming-event WARNING',
  ],
])('the suite finds a relay that %s', async (_, distort, expected) => {
  await using fixture = await serveFixtureOverHttp();
  await using relay = await recordHttp(fixture.url, distort);
  const { checks } = await runConformance(relay.url, '2025-11-25');
  expect(checks).toContain(expected);
});

function replaced(bytes: Buffer, text: string, by: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(text, by), 'latin1');
}
