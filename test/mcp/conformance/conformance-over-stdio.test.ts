/** The proxy changes nothing that the official conformance suite can see over stdio, in both eras. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { throughMandate } from '../proxy/mandate-mcp.ts';
import { startStdioBridge } from '../wire/stdio-bridge.ts';
import type { Command } from '../wire/stdio-process.ts';
import { FEWEST_CHECKS, REVISIONS, runConformance } from './run-conformance.ts';

const SERVER: Command = [
  process.execPath,
  fileURLToPath(import.meta.resolve('../conformance-server/stdio.fixture.ts')),
];

test.each(REVISIONS)('the suite for %s has the same checks with and without the proxy', async (revision) => {
  await using bridge = await startStdioBridge(SERVER);
  await using proxied = await startStdioBridge(throughMandate(SERVER));
  const [direct, through] = await Promise.all([
    runConformance(bridge.url, revision),
    runConformance(proxied.url, revision),
  ]);
  expect(direct.checks.length).toBeGreaterThanOrEqual(FEWEST_CHECKS[revision] - 1);
  expect(through.checks).toEqual(direct.checks);
  expect([direct.exitCode, through.exitCode], through.output).toEqual([0, 0]);
});
