import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlFilesIn, readManifest } from '@mandate/documents';
import { silentLogger } from '@mandate/runtime';
import { gateDocument } from '@mandate/schemas/agent-manifest';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Edition, followManifests } from './follow-manifests.ts';

const MANIFEST = `version: "1.0"
name: tutor
intents: [{ id: chat, triggers: { fallback: true } }]
tools: [{ id: make_cards }]
`;
const policyWith = (roles: string) => `version: "1.0"
name: tutor-policy
roles: [{ id: user }, { id: admin }]
tool_permissions: { make_cards: { allowed_roles: ${roles} } }
`;

function edition(folder: string, environment?: string): Edition {
  const read = readManifest(folder, { environment });
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.compiled;
}

/** Follows a manifest. `applied`: the roles of the tool in each edition that was applied, and in the one before. */
function followed({ environment, fails = () => null }: { environment?: string; fails?: () => unknown } = {}) {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('manifest.yaml', MANIFEST);
  write('policy.yaml', policyWith('[user]'));
  if (environment !== undefined) write(`policy.${environment}.yaml`, '{}');
  const logged: { level: string; facts: Record<string, unknown>; message: string }[] = [];
  const line = (level: string) => (facts: object, message: string) =>
    void logged.push({ level, facts: { ...facts }, message });
  const log = Object.assign(silentLogger(), { warn: line('warn'), error: line('error') });
  const applied: [unknown, unknown][] = [];
  const rolesOf = ({ policies }: Edition) => policies[0]?.toolPolicies?.make_cards?.roles;
  const manifests = followManifests(new Map([[folder, edition(folder, environment)]]), {
    options: { environment },
    log,
    async apply(after, before) {
      const failure = fails();
      if (failure !== null) throw failure;
      applied.push([rolesOf(after), rolesOf(before)]);
    },
  });
  onTestFinished(() => manifests.stop());
  const isStale = () => manifests.readiness().stale === true;
  return { folder, write, applied, logged, isStale, manifests };
}

test('applies an edit of each file as one edition', async () => {
  const { write, applied, logged } = followed();
  write('policy.yaml', policyWith('[admin]'));
  await waitUntil('the edit', () => applied.length === 1);
  expect(applied).toEqual([[['admin'], ['user']]]);
  await waitUntil('the line', () => logged.some(({ message }) => message.includes('is in force')));
  write('manifest.yaml', MANIFEST.replace('id: make_cards', 'id: make_cards, sensitive: true'));
  await waitUntil('the edit of the manifest', () => applied.length === 2);
});

test('keeps the last good edition after a bad edit, until the files are corrected', async () => {
  const { write, applied, logged, isStale, folder, manifests } = followed();
  write('policy.yaml', policyWith('[usr]'));
  await waitUntil('the fault', isStale);
  expect(manifests.readiness()).toEqual({
    name: 'manifests',
    ok: true,
    stale: true,
    detail: 'the files of a manifest are bad: the last good ones are in force',
  });
  expect(logged).toMatchObject([
    {
      level: 'error',
      facts: {
        count: 1,
        faults: [expect.stringContaining(`${join(folder, 'policy.yaml')}:4:51 tool_permissions.make_cards`)],
      },
    },
  ]);
  expect(applied).toEqual([]);
  write('policy.yaml', policyWith('[admin]'));
  await waitUntil('the correction', () => applied.length === 1);
  expect(isStale()).toBe(false);
});

test.each(['policy.yaml', 'manifest.yaml'])('keeps the last good edition if %s is removed', async (name) => {
  const { folder, applied, isStale, logged } = followed();
  renameSync(join(folder, name), join(folder, 'elsewhere'));
  await waitUntil('the fault', isStale);
  expect(logged[0]?.facts).toMatchObject({ faults: [expect.stringContaining('cannot be read')] });
  renameSync(join(folder, 'elsewhere'), join(folder, name));
  await waitUntil('the file again', () => !isStale());
  expect(applied.length).toBeLessThan(2);
});

test('follows the overlay of the environment, and is stale without it', async () => {
  const { write, folder, applied, isStale, logged } = followed({ environment: 'production' });
  write('policy.production.yaml', 'tool_permissions: { make_cards: { allowed_roles: [user, admin] } }');
  await waitUntil('the edit', () => applied.length === 1);
  expect(logged[0]).toMatchObject({
    message: 'the manifest has possible mistakes',
    facts: { faults: [expect.stringContaining('(OVERLAY_WIDENS)')] },
  });
  rmSync(join(folder, 'policy.production.yaml'));
  await waitUntil('the fault', isStale);
  expect(applied).toHaveLength(1);
});

test('follows the categories of memories, which may be added later', async () => {
  const { write, applied, isStale } = followed();
  write('config.yaml', 'stores: { notes: { kind: filesystem } }');
  await waitUntil('the file', () => applied.length === 1);
  write('config.yaml', 'stores: { notes: {} }');
  await waitUntil('the fault', isStale);
  expect(applied).toHaveLength(1);
});

test('applies an edition again until it is applied, and logs the failure once', async () => {
  let failures = 0;
  const fails = () => (failures++ < 3 ? new Error('no log') : null);
  const { write, applied, logged, isStale } = followed({ fails });
  write('policy.yaml', policyWith('[admin]'));
  await waitUntil('the failure', isStale);
  await waitUntil('the edition', () => applied.length === 1);
  expect(isStale()).toBe(false);
  expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
});

const TEAM = `apiVersion: coreason.ai/v2
kind: Agent
metadata: { name: Team }
definitions:
  search: { $ref: "tools.yaml#/search" }
  clerk: { type: agent, name: Clerk, role: clerk, goal: answer, model: claude-haiku-4-5, tools: [search] }
`;

test('follows an agent manifest with the files that it refers to, and the gate', async () => {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const tools = (risk: string) =>
    `search: { type: tool, name: Search, uri: "mcp://search.example/v1", risk_level: ${risk} }\n`;
  write('team.yaml', TEAM);
  write('tools.yaml', tools('safe'));
  const { agentManifests } = controlFilesIn([folder]);
  const applied: unknown[] = [];
  const manifests = followManifests(new Map(), {
    options: {},
    log: silentLogger(),
    apply: async () => {},
    agentManifests: {
      started: agentManifests.values(),
      gate: () => gateDocument.parse({ max_risk_level: 'standard' }),
      async publish({ published }) {
        const { policies } = published;
        applied.push(policies.find(({ id }) => id === 'team.clerk')?.toolPolicies?.search?.rateLimit);
      },
    },
  });
  onTestFinished(() => manifests.stop());
  write('tools.yaml', tools('standard'));
  await waitUntil('the edit of the other file', () => applied.length === 1);
  expect(applied).toEqual([{ maxCalls: 60, windowMs: 60_000 }]);
  write('tools.yaml', tools('critical'));
  await waitUntil('the violation', () => manifests.readiness().stale === true);
  write('tools.yaml', tools('safe'));
  await waitUntil('the correction', () => applied.length === 2);
  expect(manifests.readiness().stale).toBe(undefined);
});
