/**
 * Runs the cases of manifests through a whole plane: the documents come over the control API, the actions over HTTP,
 * and the answers are read back from ClickHouse. The clock is real, so cases that need a certain time are left out.
 *
 * Cases with the same documents share a tenant. Each case has its own ids and persons there, so no case affects another.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileManifest } from '@mandate/manifest';
import { dataFolder } from '@mandate/runtime';
import type { Action, Decision, Json } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { type PlaneProcess, startPlane, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manifestCases } from '../../cases/manifest/manifest-cases.ts';
import { type GivenManifest, loadedOf, type ManifestStep } from '../../cases/manifest/play-manifest.ts';

type Expected = Readonly<Record<string, Json>>;
type Case = ReturnType<typeof allCases>[number];
type Row = Record<'actionId' | 'verdict' | 'code', string> & {
  obligations: string | null;
  notes: string | null;
  violations: string | null;
  events: string[];
};

function allCases() {
  return manifestCases<GivenManifest, readonly ManifestStep[], readonly (Expected | null)[]>(
    's0-cases',
  ).filter(({ when }) => Array.isArray(when));
}

/** Times up to this only order the steps of a case. No limit of the documents is as short. */
const ORDER_ONLY_MS = 50;

/** Cases with another decision here than the case expects, each with the reason. */
const OTHERWISE = new Map([
  ['s0-confirmation-007', 'a question to a person counts as a call of its rates (ADR 41)'],
]);

/** Why a plane with a real clock cannot run a case. Null: it can. */
function leftOut({ id, when }: Case): string | null {
  if (when.some((step) => !('ask' in step))) return 'a person answers at a certain time';
  if (when.some(({ at }) => at > ORDER_ONLY_MS)) return 'time passes';
  return OTHERWISE.get(id) ?? null;
}

const CASES = allCases().filter((one) => leftOut(one) === null);

let plane: PlaneProcess;
const folder = dataFolder(mkdtempSync(join(tmpdir(), 'mandate-test-')));
beforeAll(async () => {
  plane = await startPlane({ data: folder.path });
});
afterAll(async () => {
  await plane?.kill('SIGTERM');
  rmSync(folder.path, { recursive: true, force: true });
});

type Send = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

async function tenant(): Promise<Send> {
  const { key, record } = issueApiKey({
    ...{ tenant: randomUUID(), name: 'all', agents: ['*'] },
    scopes: ['publish', 'audit', 'author'],
  });
  await fileKeyStore(folder.keys).add(record);
  return async (method, path, body) => {
    const response = await fetch(`${plane.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

async function register(send: Send, given: GivenManifest): Promise<void> {
  const { agents, policies, rules } = compileManifest(loadedOf(given));
  for (const agent of agents) await send('POST', '/v1/agents', agent);
  for (const policy of policies) await send('PUT', `/v1/policies/${policy.id}`, policy);
  for (const rule of rules) await send('PUT', `/v1/rules/${rule.id}`, rule);
}

/** Returns the action with ids and persons that only this case has. */
function ofCase(caseId: string, action: Action): Action {
  const own = (id: unknown) => (typeof id === 'string' ? `${caseId}.${id}` : id);
  const renamed = (key: string, value: unknown) =>
    key === 'turnId' || key === 'user_id' || key === 'idempotencyKey' || key === 'parentActionId'
      ? own(value)
      : value;
  const copy = JSON.parse(JSON.stringify(action), renamed);
  const { principal } = copy;
  return {
    ...copy,
    id: own(copy.id),
    ...(principal && { principal: { ...principal, id: own(principal.id) } }),
  };
}

test('every case has the expected decision in the answer and in ClickHouse', async () => {
  const byDocuments = Map.groupBy(CASES, ({ given: { now: _, ...documents } }) => JSON.stringify(documents));
  // One key after another is written, because the file of keys has one writer at a time.
  const groups: { send: Send; cases: readonly Case[] }[] = [];
  for (const cases of byDocuments.values()) groups.push({ send: await tenant(), cases });
  const decisions = new Map<string, Decision>();
  await Promise.all(
    groups.map(async ({ send, cases }) => {
      for (const { given } of cases.slice(0, 1)) await register(send, given);
      await Promise.all(cases.map(async (one) => decideInOrder(send, one, decisions)));
    }),
  );
  for (const { send, cases } of groups) {
    const count = cases.reduce((sum, { when }) => sum + when.length, 0);
    const rows = await recorded(send, count);
    for (const { id, then } of cases) {
      for (const [at, expected] of then.entries()) {
        const name = `${id} step ${at + 1}`;
        const decision = decisions.get(name);
        if (expected === null || decision === undefined) throw new Error(`${name} has no decision`);
        const row = rows.get(decision.id);
        expect(seen(told(decision), decision, expected), name).toEqual(comparable(expected));
        expect(seen(row && stored(row), decision, expected), `${name} in ClickHouse`).toEqual(
          comparable(expected),
        );
      }
    }
  }
});

async function decideInOrder(
  send: Send,
  { id, when }: Case,
  decisions: Map<string, Decision>,
): Promise<void> {
  for (const [at, step] of when.entries()) {
    if (!('ask' in step)) continue;
    const answer = await send('POST', '/v1/actions?waitMs=20000', ofCase(id, step.ask));
    decisions.set(`${id} step ${at + 1}`, answer.decision as Decision);
  }
}

test('only cases about time and about answers of people are left out', () => {
  const reasons = allCases().flatMap((one) => leftOut(one) ?? []);
  expect(CASES.length).toBeGreaterThan(200);
  expect(reasons.length).toBeLessThan(30);
});

/** Waits until the audit has every decision of the tenant, and returns the rows by the id of the decision. */
async function recorded(send: Send, count: number): Promise<ReadonlyMap<string, Row>> {
  const byId = new Map<string, Row>();
  await waitUntil('every decision in the audit', async () => {
    const { decisions } = await send('GET', '/v1/audit/decisions?limit=1000');
    for (const row of decisions as (Row & { id: string })[]) byId.set(row.id, row);
    return byId.size >= count;
  });
  return byId;
}

type Facts = Pick<Decision, 'verdict' | 'code' | 'obligations' | 'notes' | 'violations' | 'events'>;

function told({ verdict, code, obligations, notes, violations, events }: Decision): Facts {
  return { verdict, code, obligations, notes, violations, events };
}

function stored({ verdict, code, obligations, notes, violations, events }: Row): Facts {
  const read = (text: string | null) => (text === null ? undefined : JSON.parse(text));
  return {
    ...{ verdict, code, events },
    ...{ obligations: read(obligations), notes: read(notes), violations: read(violations) },
  } as Facts;
}

/** The fields that a row has. The case may also say `hard`, `says` and `textAfter`, which test/cases tests. */
const COMPARED = ['verdict', 'code', 'obligations', 'notes', 'violations', 'events'] as const;

function seen(facts: Facts | undefined, { decidedAt }: Decision, expected: Expected): object {
  if (facts === undefined) return {};
  const { verdict, code, obligations = {}, notes = [], violations = [], events = [] } = facts;
  const saves = (obligations.saves ?? []) as { ttlMs: number | null; expiresAt: string | null }[];
  for (const { ttlMs, expiresAt } of saves) {
    const wanted = ttlMs === null ? null : new Date(Date.parse(decidedAt) + ttlMs).toISOString();
    expect(expiresAt).toBe(wanted);
  }
  const all = { verdict, code, obligations, notes, violations, events };
  return Object.fromEntries(
    COMPARED.filter((field) => field in expected).map((field) => [field, comparableField(all[field])]),
  );
}

function comparable(expected: Expected): object {
  return Object.fromEntries(
    COMPARED.filter((field) => field in expected).map((field) => [field, comparableField(expected[field])]),
  );
}

/** Lists of codes and events have no order. The expiry depends on the real time, so `seen` compares it by itself. */
function comparableField(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(one)).sort();
  return JSON.parse(JSON.stringify(value), (key, one) => (key === 'expiresAt' ? undefined : one));
}
