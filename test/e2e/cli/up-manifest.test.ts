/** Tests that `mandate up` applies a manifest, follows its edits, and refuses a bad one at its start. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, it } from 'vitest';
import { spawnCommand } from './run-mandate.ts';

const MANIFEST = `version: "1.0"
name: tutor
intents: [{ id: chat, triggers: { fallback: true } }]
tools: [{ id: make_cards }]
specialists:
  - { id: sensei, handles_intents: [chat], uses_tools: [make_cards] }
  - { id: curator, handles_intents: [chat], uses_tools: [make_cards] }
`;
const policyOf = (roles: string) => `version: "1.0"
name: tutor-policy
roles: [{ id: user }, { id: admin }]
tool_permissions: { make_cards: { allowed_roles: ${roles} } }
`;

type Answer = {
  policies: { version: number; policy: { id: string; toolPolicies: { make_cards: object } } }[];
  checks: { name: string; stale?: boolean }[];
  agents: { agent: { id: string } }[];
  rules: { rule: { id: string } }[];
};

it('follows a manifest: each edit takes effect as one change, and a bad edit changes nothing', async () => {
  const [data, policies] = [temporaryFolder(), join(temporaryFolder(), 'tutor')];
  mkdirSync(policies);
  const write = (name: string, text: string) => writeFileSync(join(policies, name), text);
  write('manifest.yaml', MANIFEST);
  write('policy.yaml', policyOf('[user]'));
  write('policy.production.yaml', 'tool_permissions: { make_cards: { rate_limit: 1/hour } }');
  const up = ['--policies', policies, '--env', 'production'];
  const plane = await startPlane({ data, args: up });
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${plane.keys.operator}` };
    return (await (await fetch(new URL(path, plane.url), { headers })).json()) as Answer;
  };
  const versions = async () => {
    const { policies: all } = await get('/v1/policies');
    return all.find(({ policy }) => policy.id === 'tutor-policy');
  };
  const stale = async () => {
    const { checks } = await get('/readyz');
    return checks.find(({ name }) => name === 'manifests')?.stale === true;
  };
  expect(await versions()).toMatchObject({
    version: 1,
    policy: {
      toolPolicies: { make_cards: { roles: ['user'], rateLimit: { maxCalls: 1, scope: 'principal' } } },
    },
  });

  write('policy.yaml', policyOf('[usr]'));
  await waitUntil('the bad edit', stale);
  expect(await versions()).toMatchObject({ version: 1 });
  const second = await spawnCommand(['up', '--data', temporaryFolder(), '--port', '0', ...up]);
  expect(second).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('(ROLE_UNKNOWN)') });

  write('policy.yaml', policyOf('[user, admin]'));
  await waitUntil('the correction', async () => (await versions())?.version === 2);
  await waitUntil('readiness', async () => !(await stale()));
  expect((await versions())?.policy.toolPolicies.make_cards).toMatchObject({ roles: ['user', 'admin'] });

  write('manifest.yaml', MANIFEST.replace(/ {2}- { id: sensei.*\n/, ''));
  const agents = async () => {
    const { agents: all } = await get('/v1/agents');
    return all.map(({ agent }) => agent.id).sort();
  };
  await waitUntil('the removal of the specialist', async () => (await agents()).length === 2);
  expect(await agents()).toEqual(['tutor', 'tutor.curator']);
  const { rules } = await get('/v1/rules');
  expect(rules.map(({ rule }) => rule.id).sort()).toEqual(['tutor-policy', 'tutor.curator']);
  write('manifest.yaml', MANIFEST);
  await waitUntil('the specialist again', async () => (await agents()).length === 3);
  expect(await plane.kill('SIGTERM')).toBe(0);
});
