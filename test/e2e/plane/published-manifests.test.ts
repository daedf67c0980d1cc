/**
 * Publishes agent manifests on a running plane. What a manifest compiles to decides the next action of its agents, a
 * narrower version takes effect at once, and one kill stops the whole family.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder } from '@mandate/runtime';
import { type ApiScope, CAPS } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { IS_SHORT, type PlaneProcess, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Support Team, requires_auth: true }
definitions:
  search: { type: tool, name: Search, uri: "mcp://search.example/v1", risk_level: safe }
  refund: { type: tool, name: Refund, uri: "mcp://crm.example/v1", risk_level: critical }
  clerk: { type: agent, name: Clerk, role: clerk, goal: answer, model: claude-haiku-4-5, tools: [search, refund] }
workflow:
  start: answer
  steps:
    answer: { type: agent, agent: clerk }
`;
const NARROWER = MANIFEST.replace(/ {2}refund:.*\n/, '').replace('[search, refund]', '[search]');
const FORBIDDEN = MANIFEST.replace('crm.example', 'elsewhere.test');
const ALL: ApiScope[] = ['publish', 'report', 'audit', 'operate', 'operate:all', 'author'];

let plane: PlaneProcess;
const folder = dataFolder(mkdtempSync(join(tmpdir(), 'mandate-test-')));
const policies = mkdtempSync(join(tmpdir(), 'mandate-test-'));
beforeAll(async () => {
  writeFileSync(join(policies, 'gate.yaml'), 'allowed_domains: ["*.example"]\n');
  writeFileSync(join(policies, 'bot.yaml'), '{ kind: agent, id: bot }\n');
  plane = await startPlane({ data: folder.path, args: ['--policies', policies] });
});
afterAll(async () => {
  await plane?.kill('SIGTERM');
  for (const path of [folder.path, policies]) rmSync(path, { recursive: true, force: true });
});

/** Makes a tenant with one key that has all scopes. */
async function tenantOf(name: string) {
  const { key, record } = issueApiKey({ tenant: name, scopes: ALL, agents: ['*'], name: 'all' });
  await fileKeyStore(folder.keys).add(record);
  async function send(method: string, path: string, body?: object) {
    const response = await fetch(`${plane.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test checks its shape
    const answer: any = await response.json();
    return { status: response.status, body: answer };
  }
  let asked = 0;
  const ask = async (action: object) => {
    asked += 1;
    const whole = { id: `act-${asked}`, agentId: 'support-team.clerk', type: 'tool_call', ...action };
    const { body } = await send('POST', `/v1/actions?waitMs=${CAPS.waitMs}`, whole);
    return `${body.decision?.verdict} ${body.decision?.code}`;
  };
  const publish = (manifest: string) => send('POST', '/v1/manifests', { manifest });
  return { send, ask, publish };
}

test('decides the actions of the agents by the version in force, until the family is killed', async () => {
  const { send, ask, publish } = await tenantOf('acme');
  const other = await tenantOf('globex');
  expect(await publish(MANIFEST)).toMatchObject({ status: 201, body: { version: 1 } });
  const model = { type: 'llm_call', inputTokens: 100, maxOutputTokens: 100 };
  expect(await ask({ tool: 'search' })).toBe('ALLOW ALLOWED');
  expect(await ask({ tool: 'send_mail' })).toBe('BLOCK UNKNOWN_TOOL');
  expect(await ask({ tool: 'step.answer' })).toBe('BLOCK TOOL_NOT_ALLOWED');
  expect(await ask({ tool: 'refund', args: { amount: 5 } })).toBe('DEFER APPROVAL_REQUIRED');
  expect(await ask({ ...model, model: 'claude-haiku-4-5' })).toBe('ALLOW ALLOWED');
  expect(await ask({ ...model, model: 'claude-opus-4-5' })).toBe('BLOCK MODEL_NOT_ALLOWED');
  // The manifest itself calls no tool: it runs its steps.
  expect(await ask({ agentId: 'support-team', tool: 'step.answer' })).toBe('ALLOW ALLOWED');
  expect(await ask({ agentId: 'support-team', tool: 'search' })).toBe('BLOCK TOOL_NOT_ALLOWED');

  expect(await publish(NARROWER)).toMatchObject({ status: 201, body: { version: 2, widens: [] } });
  expect(await ask({ tool: 'refund', args: { amount: 5 } })).toBe('BLOCK UNKNOWN_TOOL');
  const rolled = await send('POST', '/v1/manifests/support-team/rollback', { version: 1 });
  expect(rolled).toMatchObject({ status: 201, body: { version: 3, since: 2 } });
  expect(await ask({ tool: 'refund', args: { amount: 5 } })).toBe('DEFER APPROVAL_REQUIRED');

  expect((await other.send('GET', '/v1/manifests')).body.manifests).toEqual([]);
  expect(await other.send('GET', '/v1/manifests/support-team')).toMatchObject({ status: 404 });
  expect(await other.ask({ tool: 'search' })).not.toBe('ALLOW ALLOWED');

  const events = async () => {
    const { body } = await send('GET', '/v1/audit/control-events?event=manifest.published');
    return body.events.map(
      (one: { subject: string; policyVersion: number }) => `${one.subject}@${one.policyVersion}`,
    );
  };
  await waitUntil('the audit', async () => (await events()).length === 3);
  expect(await events()).toEqual(['support-team@3', 'support-team@2', 'support-team@1']);

  const kill = { reason: 'loops', subtree: true };
  expect((await send('POST', '/v1/agents/support-team/kill', kill)).status).toBe(200);
  expect(await ask({ tool: 'search' })).toBe('BLOCK AGENT_KILLED');
  expect(await ask({ agentId: 'support-team', tool: 'step.answer' })).toBe('BLOCK AGENT_KILLED');
  // Publishing does not revive a killed family.
  expect(await publish(NARROWER)).toMatchObject({ status: 201 });
  expect(await ask({ tool: 'search' })).toBe('BLOCK AGENT_KILLED');
});

test('asks the gate in the folder of policies, also after an edit of it', async () => {
  const { publish } = await tenantOf('gated');
  expect(await publish(FORBIDDEN)).toMatchObject({
    status: 422,
    body: { code: 'GATE_VIOLATED', violations: [{ rule: 'domain_restriction', component: 'refund' }] },
  });
  writeFileSync(join(policies, 'gate.yaml'), 'allowed_domains: ["*.example", "*.test"]\n');
  await waitUntil('the edit', async () => (await publish(FORBIDDEN)).status === 201);
});

test.skipIf(IS_SHORT)(
  'publishes the manifests of its folder at the start, and again after an edit',
  async () => {
    const [data, own] = [temporaryFolder(), temporaryFolder()];
    const write = (text: string) => writeFileSync(join(own, 'support-team.yaml'), text);
    write(NARROWER);
    const args = ['--policies', own];
    const first = await startPlane({ data, args });
    const headers = { authorization: `Bearer ${first.keys.operator}` };
    const versionOf = async ({ url }: PlaneProcess) => {
      const answer = await fetch(`${url}/v1/manifests/support-team`, { headers });
      return ((await answer.json()) as { version?: number }).version;
    };
    expect(await versionOf(first)).toBe(1);
    write(MANIFEST);
    await waitUntil('the edit', async () => (await versionOf(first)) === 2);
    await first.kill('SIGTERM');
    const second = await startPlane({ data, args });
    expect(await versionOf(second)).toBe(2);
    await second.kill('SIGTERM');
  },
);
