/** The official conformance suite passes against our own fixture, so that its result through the proxy says something. */
import { describe, expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { REVISIONS, runConformance } from './run-conformance.ts';

/** The fewest checks that a run contains. A run with fewer has left scenarios out. */
const FEWEST_CHECKS = { '2025-11-25': 84, '2026-07-28': 190 };

describe.each(REVISIONS)('the conformance suite for %s', (revision) => {
  test('passes against the fixture', async () => {
    await using fixture = await serveFixtureOverHttp();
    const { exitCode, checks, output } = await runConformance(fixture.url, revision);
    expect(exitCode, output).toBe(0);
    expect(checks.length).toBeGreaterThanOrEqual(FEWEST_CHECKS[revision]);
  });
});
