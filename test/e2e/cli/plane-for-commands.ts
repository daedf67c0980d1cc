/**
 * Starts one plane for all tests of a file. Gives them functions that run the command on the plane, and a query of
 * the audit.
 */
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
  /** The folder of all files of the test. It is removed at the end. */
  folder: string;
  data: string;
  /** Returns the plane. Throws if the plane does not run yet. */
  plane(): PlaneProcess;
  /** Runs the command in the process of the test. */
  mandate(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs the command in its own process. */
  spawned(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Waits until the decision about the action is in the audit, and returns its id. */
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
  return { folder, data, plane, mandate, spawned, audited };
}
