/** The proxy changes nothing that the official conformance suite can see over HTTP, in both eras. */
import { expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { startMandateMcp } from '../proxy/mandate-mcp.ts';
import { REVISIONS, runConformance } from './run-conformance.ts';

test.each(REVISIONS)('the suite for %s has the same checks with and without the proxy', async (revision) => {
  // The suite changes the list of tools of its server, so each run has a server of its own.
  await using alone = await serveFixtureOverHttp();
  await using behind = await serveFixtureOverHttp();
  await using proxy = await startMandateMcp(behind.url);
  const [direct, through] = await Promise.all([
    runConformance(alone.url, revision),
    runConformance(proxy.url, revision),
  ]);
  expect(through.checks).toEqual(direct.checks);
  expect(through.exitCode, through.output).toBe(0);
});
