/** The proxy changes nothing that the official conformance suite can see over HTTP, in both eras. */
import { expect, test } from 'vitest';
import { serveFixtureOverHttp } from '../conformance-server/serve-http.ts';
import { startMandateMcp } from '../proxy/mandate-mcp.ts';
import { REVISIONS, runConformance } from './run-conformance.ts';

test.each(REVISIONS)('the suite for %s has the same checks with and without the proxy', async (revision) => {
  await using fixture = await serveFixtureOverHttp();
  await using proxy = await startMandateMcp(fixture.url);
  const [direct, through] = await Promise.all([
    runConformance(fixture.url, revision),
    runConformance(proxy.url, revision),
  ]);
  expect(through.checks).toEqual(direct.checks);
  expect(through.exitCode, through.output).toBe(0);
});
