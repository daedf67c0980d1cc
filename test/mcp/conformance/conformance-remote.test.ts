/**
 * The official conformance suite finds the same over stdio through the proxy and HTTP as over stdio without both. The
 * suite speaks only HTTP, so a bridge stands before each program. The older era needs a program for each of many sessions,
 * so its check is in test/mcp/official.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { throughMandateTo } from '../proxy/mandate-mcp.ts';
import { startStdioBridge } from '../wire/stdio-bridge.ts';
import { FEWEST_CHECKS, runConformance } from './run-conformance.ts';

const FIXTURE = fileURLToPath(import.meta.resolve('../conformance-server/stdio.fixture.ts'));

const REVISION = '2026-07-28';

test(`the suite for ${REVISION} has the same checks for a server over HTTP`, async () => {
  await using server = await serveFixtureOverHttp();
  await using bridge = await startStdioBridge([process.execPath, FIXTURE]);
  await using proxied = await startStdioBridge(throughMandateTo(server.url));
  const [direct, through] = await Promise.all([
    runConformance(bridge.url, REVISION),
    runConformance(proxied.url, REVISION),
  ]);
  expect(direct.checks.length).toBeGreaterThanOrEqual(FEWEST_CHECKS[REVISION] - 1);
  expect(through.checks).toEqual(direct.checks);
});
