/** One plane for all tests of a file, the command as its operator runs it, and what the audit says of an action. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import { jsonLines, type Ran, type RunOptions, runMandate } from './run-mandate.ts';

const MANDATES = `version: 1
id: team
agents: ["bot-*", "bot-unused"]
maxCostTotal: 1.00
deniedTools: ["*_admin"]
toolPolicies:
  search: { cost: 0.01 }
  pay: { cost: 0.02, requiresConfirmation: true }
`;

export type PlaneForCommands = {
  /** Holds everything below, and is removed at the end. */
  folder: string;
  data: string;
  mandates: string;
  /** Once it runs. */
  plane(): PlaneProcess;
  mandate(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** What has been decided is in the audit a moment later. */
  audited(actionId: string): Promise<{ id: string }>;
};

export function planeForCommands(): PlaneForCommands {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-cli-'));
  const data = join(folder, 'data');
  const mandates = join(folder, 'mandates.yaml');
  let started: PlaneProcess | undefined;
  beforeAll(async () => {
    writeFileSync(mandates, MANDATES);
    started = await startPlane({ data, mandates });
  });
  afterAll(async () => {
    await started?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const plane = () => {
    if (started === undefined) throw new Error('the plane does not run yet');
    return started;
  };
  const mandate = (args: readonly string[], options: RunOptions = {}) => {
    const env = { MANDATE_URL: plane().url, MANDATE_API_KEY: plane().keys.operator ?? '', ...options.env };
    return runMandate(args, { ...options, env });
  };
  const audited = (actionId: string) =>
    waitUntil(`${actionId} in the audit`, async () => {
      const { stdout } = await mandate(['query', 'decisions', '--json']);
      return jsonLines<{ id: string; actionId: string }>(stdout).find((row) => row.actionId === actionId);
    });
  return { folder, data, mandates, plane, mandate, audited };
}
