/**
 * A whole plane in this process for cases with expected answers. Its clock stands still until a test moves it, so
 * every action is decided exactly at the time that its case names.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '@mandate/client';
import { openPlane, planeConfig } from '@mandate/plane';
import { auditSource, ledgerSource, type Report, reconcileSources } from '@mandate/reconcile';
import { dataFolder, type ManualClock, manualClock, silentLogger } from '@mandate/runtime';
import type { Decision } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { z } from 'zod';
import type { Documents } from '../../cases/manifest/decision-case.ts';

export type CasePlane = {
  readonly clock: ManualClock;
  /** Resolves when every record on the log is decided and in the audit. */
  atRest(): Promise<void>;
  /** Returns every decision in ClickHouse by id, with its whole record. */
  records(): Promise<ReadonlyMap<string, Decision>>;
  /** Opens a tenant under these documents for each of them, and returns a client for each. */
  tenantsUnder(documents: readonly Documents[]): Promise<ApiClient[]>;
  /** Compares log, ledger and audit for all tenants, and checks the laws of a plane. */
  reconcile(): Promise<Report>;
  stop(): Promise<void>;
};

/** @param options.hashKey the key that hashes the fields that policies name */
export async function openCasePlane(options: { startMs: number; hashKey?: string }): Promise<CasePlane> {
  const folder = dataFolder(mkdtempSync(join(tmpdir(), 'mandate-test-')));
  const clock = manualClock(options.startMs);
  const config = planeConfig.parse({
    ...{ PLANE_DATA_PATH: folder.path, PLANE_PORT: 0, PLANE_HASH_KEY: options.hashKey },
  });
  const plane = await openPlane(config, silentLogger(), {}, clock);
  const sources = {
    bus: plane.bus,
    ledger: ledgerSource(plane.ledger),
    audit: auditSource(plane.audit),
  };
  const keys = fileKeyStore(folder.keys);
  const tenants: string[] = [];
  async function newTenant(): Promise<ApiClient> {
    const tenant = `cases-${tenants.length}`;
    tenants.push(tenant);
    const { key, record } = issueApiKey({
      ...{ tenant, name: 'all', agents: ['*'] },
      scopes: ['publish', 'audit', 'author', 'operate'],
    });
    await keys.add(record);
    return createApiClient({ url: plane.url, key });
  }
  return {
    clock,
    atRest: () => plane.atRest(),
    async records() {
      const sql = 'SELECT id, payload FROM decisions FINAL WHERE NOT void';
      const rows = await plane.audit.query(sql, {}, z.object({ id: z.string(), payload: z.string() }));
      return new Map(rows.map(({ id, payload }) => [id, JSON.parse(payload).decision as Decision]));
    },
    async tenantsUnder(documents) {
      const clients: ApiClient[] = [];
      // The file of keys has one writer at a time.
      for (const _ of documents) clients.push(await newTenant());
      await Promise.all(clients.map((api, at) => register(api, documents[at])));
      return clients;
    },
    reconcile: () => reconcileSources(sources, tenants),
    async stop() {
      await plane.stop();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

async function register(api: ApiClient, documents: Documents | undefined): Promise<void> {
  const { agents, policies, rules } = documents as Documents;
  for (const agent of agents) await api.put(`/v1/agents/${idOf(agent)}`, agent);
  for (const policy of policies) await api.put(`/v1/policies/${idOf(policy)}`, policy);
  for (const rule of rules) await api.put(`/v1/rules/${idOf(rule)}`, rule);
}

function idOf(document: object): string {
  return (document as { id: string }).id;
}
