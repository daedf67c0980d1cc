/** One plane for all tests of a file, the command on that plane, and what the audit says of an action. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import { type Ran, type RunOptions, runMandate, spawnCommand } from './run-mandate.ts';

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
  /** The command in the process of the test. */
  mandate(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The command in a process of its own. */
  spawned(args: readonly string[], options?: RunOptions): Promise<Ran>;
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
  const ownEnv = () => ({ MANDATE_URL: plane().url, MANDATE_API_KEY: plane().keys.operator ?? '' });
  const mandate = (args: readonly string[], options: RunOptions = {}) =>
    runMandate(args, { ...options, env: { ...ownEnv(), ...options.env } });
  const spawned = (args: readonly string[], options: RunOptions = {}) =>
    spawnCommand(args, { ...options, env: { ...ownEnv(), ...options.env } });
  const audited = (actionId: string) =>
    waitUntil(`${actionId} in the audit`, async () => {
      const api = createApiClient({ url: plane().url, key: plane().keys.operator ?? '' });
      const { decisions } = await api.get<{ decisions: { id: string }[] }>('/v1/audit/decisions', {
        actionId,
      });
      return decisions[0];
    });
  return { folder, data, mandates, plane, mandate, spawned, audited };
}
