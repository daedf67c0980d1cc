/** Starts a plane of one process for attacks. Honest callers of another tenant use the plane at the same time. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder } from '@mandate/runtime';
import { type ApiScope, approvalId, type Decision, type KeyPins } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { startPlane } from '@mandate/testing';
import { expect } from 'vitest';
import type { Attack } from '../attacks/attack.ts';
import { ALERTED } from '../attacks/replay-alerts.ts';

const MANDATES = `
version: 1
id: all
agents: ["*"]
toolPolicies: { pay: { requiresConfirmation: true } }
`;
/**
 * The alert rules of an attacker's tenant. They have one webhook with an address where no server listens, and each
 * alert is sent only once.
 */
const alertsWith = (secretFile: string) => `
version: 1
webhooks:
  - name: away
    url: http://127.0.0.1:9/
    tenant: ${ALERTED}
    secrets: [{ file: ${secretFile} }]
    attempts: 1
`;
/** The addresses of the attackers. Every address of 127.0.0.0/8 is this machine. Honest callers use 127.0.0.1. */
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
/** The time limit of an honest request, in ms. Honest requests are faster even on a busy machine. */
const PATIENCE_MS = 30_000;

/** @param attackers the rights of the attackers' keys, which must exist before the plane starts */
export async function attackedPlane(
  attackers: readonly { scopes: readonly ApiScope[]; tenant: string; pins?: KeyPins }[],
  env: Readonly<Record<string, string>> = {},
) {
  const data = mkdtempSync(join(tmpdir(), 'mandate-attacked-'));
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATES);
  const secret = join(data, 'secret');
  writeFileSync(secret, `whsec_${randomBytes(32).toString('base64')}\n`);
  writeFileSync(dataFolder(data).alerts, alertsWith(secret));
  const store = fileKeyStore(dataFolder(data).keys);
  const issued = async (tenant: string, scopes: readonly ApiScope[], pins?: KeyPins) => {
    const { key, record } = issueApiKey({
      tenant,
      scopes,
      agents: ['*'],
      name: 'key',
      ...(pins && { pins }),
    });
    await store.add(record);
    return key;
  };
  const honest = await issued('honest', ['publish']);
  const operator = await issued('honest', ['operate']);
  const keys = await Promise.all(attackers.map(({ tenant, scopes, pins }) => issued(tenant, scopes, pins)));
  const plane = await startPlane({ data, mandates, env });

  async function post(key: string, path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(plane.url + path, {
      method: 'POST',
      // Closes the connection after each request, because a caller that arrives during the attack has no open
      // connection.
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, connection: 'close' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    expect([path, answer.status, text]).toEqual([path, 200, expect.any(String)]);
    return JSON.parse(text);
  }
  /** Checks that one honest agent gets a decision, one is killed and revived, and one question is approved. */
  async function servesOthers(): Promise<void> {
    const id = randomUUID();
    const action = { id, agentId: 'agent', type: 'tool_call', tool: 'look' };
    const { decision } = await post(honest, '/v1/actions?waitMs=20000', action);
    expect(decision).toMatchObject({ verdict: 'ALLOW' });
    const reason = 'a test';
    await post(operator, '/v1/agents/stopped/kill', { reason });
    await post(operator, '/v1/agents/stopped/revive', { reason });
    const paying = { ...action, id: `${id}-pays`, tool: 'pay' };
    const { decision: deferred } = await post(honest, '/v1/actions?waitMs=20000', paying);
    expect(deferred).toMatchObject({ verdict: 'DEFER' });
    await post(operator, `/v1/approvals/${approvalId(deferred as Decision)}/approve`, { reason });
  }

  return {
    url: plane.url,
    keys,
    plane,
    data,
    servesOthers,
    /** During the attack, honest callers must be served `rounds` times, and also once before it and once after it. */
    async bears(attack: Attack, rounds: number): Promise<void> {
      await servesOthers();
      const over = new AbortController();
      const attacking = attack({ url: plane.url, keys, addresses: ADDRESSES }, over.signal);
      attacking.catch(() => {}); // Told below.
      try {
        for (let round = 0; round < rounds; round += 1) await servesOthers();
      } finally {
        over.abort();
        await attacking;
      }
      await servesOthers();
      expect(plane.process.exitCode).toBeNull();
    },
    async stop(): Promise<void> {
      await plane.kill();
      rmSync(data, { recursive: true });
    },
  };
}
