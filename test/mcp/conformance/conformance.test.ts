/**
 * The official conformance suite against our own fixture, directly and through relays. A relay that changes nothing
 * must have the same result, and a relay that loses something must have another.
 */
import { describe, expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { recordHttp } from '../wire/http-recorder.ts';
import { FEWEST_CHECKS, REVISIONS, runConformance } from './run-conformance.ts';

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
