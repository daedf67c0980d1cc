/** Tests the commands that publish, show and roll back agent manifests, with a control service. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateDocument } from '@mandate/schemas/agent-manifest';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlService } from './control-service.fixture.ts';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Support Team, requires_auth: true }
definitions:
  search: { $ref: "tools/tools.yaml#/search" }
  refund: { type: tool, name: Refund, uri: "mcp://crm.example/v1", risk_level: critical }
  clerk: { type: agent, name: Clerk, role: clerk, goal: answer, model: claude-haiku-4-5, tools: [search, refund] }
workflow:
  start: answer
  steps:
    answer: { type: agent, agent: clerk }
`;
const TOOLS = 'search: { type: tool, name: Search, uri: "mcp://search.example/v1", risk_level: safe }\n';

function teamFolder(manifest = MANIFEST): { folder: string; file: string; write(text: string): void } {
  const folder = temporaryFolder();
  const file = join(folder, 'support-team.yaml');
  mkdirSync(join(folder, 'tools'));
  writeFileSync(join(folder, 'tools', 'tools.yaml'), TOOLS);
  const write = (text: string) => writeFileSync(file, text);
  write(manifest);
  return { folder, file, write };
}

test('publishes a manifest with the files that it refers to, and shows it', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const { file } = teamFolder();
  const tried = await mandate('manifest', 'publish', file, '--dry-run');
  expect(tried).toMatchObject({ exitCode: 0, stderr: '' });
  expect(tried.stdout).toContain('support-team: version 1; no version is in force now\n');
  expect(tried.stdout).toContain('6 differences: 2 agents, 2 policies, 2 rules to add\n');
  expect(followed.revision()).toBe(0);
  const published = await mandate('manifest', 'publish', file, '--reason', 'ticket 815');
  expect(published).toMatchObject({ exitCode: 0 });
  expect(published.stdout).toContain('published support-team, version 1\n');
  expect([...followed.tenant('default').agents.keys()]).toEqual(['support-team', 'support-team.clerk']);
  const shown = await mandate('manifests', 'show', 'support-team');
  expect(shown.stdout).toContain('# version 1\napiVersion: coreason.ai/v2\n');
  expect(shown.stdout).toContain('uri: mcp://search.example/v1');
  const list = await mandate('manifests', 'list');
  expect(list.stdout).toMatch(/support-team +1 +in use .*ticket 815/);
});

test('asks before something gets wider, and publishes it with --yes', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const { file, write } = teamFolder();
  await mandate('manifest', 'publish', file);
  write(MANIFEST.replace('critical', 'safe'));
  const asked = await mandate('manifest', 'publish', file);
  expect(asked.exitCode).toBe(2);
  expect(asked.stdout).toContain('~ GOVERNANCE definitions.refund.risk_level  ! wider\n');
  expect(asked.stderr).toContain('there is no terminal to ask on');
  const versions = () => followed.tenant('default').manifests.get('support-team')?.versions.length;
  expect(versions()).toBe(1);
  expect(await mandate('manifest', 'publish', file, '--yes')).toMatchObject({ exitCode: 0 });
  expect(versions()).toBe(2);
  write(MANIFEST);
  const narrower = await mandate('manifest', 'publish', file, '--json');
  expect(narrower.exitCode).toBe(0);
  expect(JSON.parse(narrower.stdout)).toMatchObject({ id: 'support-team', version: 3, widens: [] });
  const diff = await mandate('manifests', 'diff', 'support-team', '1', '2');
  expect(diff.stdout).toBe('~ GOVERNANCE definitions.refund.risk_level  ! wider\n');

  const back = await mandate('manifests', 'rollback', 'support-team', '2');
  expect(back.exitCode).toBe(2);
  expect(await mandate('manifests', 'rollback', 'support-team', '2', '--yes')).toMatchObject({ exitCode: 0 });
  expect(versions()).toBe(4);
  const listed = await mandate('manifests', 'versions', 'support-team', '--json');
  expect(
    listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).version),
  ).toEqual([4, 3, 2, 1]);
  expect(await mandate('manifests', 'remove', 'support-team')).toMatchObject({ exitCode: 0 });
  expect(followed.tenant('default').agents.size).toBe(0);
});

test('keeps options of the version before if they are not given, and removes a budget only if an option says so', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const { file, write } = teamFolder(MANIFEST.replace(' model: claude-haiku-4-5,', ''));
  const publish = (...more: string[]) => mandate('manifest', 'publish', file, ...more);
  const inForce = async () => {
    const { stdout } = await mandate('manifests', 'show', 'support-team', '--json');
    const { versions = [] } = followed.tenant('default').policies.get('support-team') ?? {};
    return [JSON.parse(stdout).options, versions.at(-1)?.document.maxCostTotal];
  };
  const model = { defaultModel: 'claude-haiku-4-5' };
  expect(await publish('--budget', '5', '--default-model', model.defaultModel)).toMatchObject({
    ...{ exitCode: 0, stderr: '' },
  });
  write(MANIFEST.replace(' model: claude-haiku-4-5,', '').replace('goal: answer', 'goal: help'));
  const second = await publish();
  expect(second).toMatchObject({
    exitCode: 0,
    stderr: 'keeps defaultModel of version 1: "claude-haiku-4-5"\nkeeps maxCostTotal of version 1: 5\n',
  });
  expect(second.stdout).not.toContain('options.');
  expect(await inForce()).toEqual([{ ...model, maxCostTotal: 5 }, 5]);

  const lower = await publish('--budget', '4');
  expect(lower.exitCode).toBe(0);
  expect(lower.stdout).toContain('~ GOVERNANCE options.maxCostTotal\n');
  expect(await publish('--budget', '6')).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('~ GOVERNANCE options.maxCostTotal  ! wider\n'),
  });
  expect(await publish('--budget', 'none', '--yes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('- GOVERNANCE options.maxCostTotal  ! wider\n'),
  });
  expect(await inForce()).toEqual([model, undefined]);
  expect(await publish('--budget', 'nothing')).toMatchObject({ exitCode: 2 });
});

test('names the faults of a manifest with their places, and publishes nothing', async () => {
  const { mandate } = await controlService('default', 'author');
  const { file } = teamFolder(MANIFEST.replace('agent: clerk }', 'agent: clark }'));
  const { exitCode, stderr } = await mandate('manifest', 'publish', file);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`${file}:11:28 workflow.steps.answer.agent: `);
  expect(stderr).toContain('(REFERENCE_MISSING)');
});

test('ends with exit code 3 and every violation if the gate of the plane forbids the manifest', async () => {
  const gate = gateDocument.parse({ max_risk_level: 'safe', allowed_domains: ['search.example'] });
  const { followed, mandate } = await controlService('default', 'author', gate);
  const { exitCode, stderr } = await mandate('manifest', 'publish', teamFolder().file);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('definitions.refund.risk_level: ');
  expect(stderr).toContain('definitions.refund.uri: ');
  expect(followed.revision()).toBe(0);
});

test('applies a folder with an agent manifest as one change, and shows a policy that was changed by hand', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const { folder, write } = teamFolder();
  writeFileSync(join(folder, 'bot.yaml'), '{ kind: agent, id: bot }');
  const applied = await mandate('apply', '-f', folder);
  expect(applied).toMatchObject({ exitCode: 0 });
  expect(applied.stdout).toContain('manifest support-team: published as version 1\n');
  expect(applied.stdout).toContain('agent bot: done\n');
  expect(followed.tenant('default').manifests.get('support-team')?.owns.agents).toHaveLength(2);
  expect(await mandate('diff', '-f', folder)).toMatchObject({ exitCode: 0, stdout: 'nothing differs\n' });

  const { document } = followed.tenant('default').policies.get('support-team.clerk')?.versions[0] ?? {};
  const byHand = join(temporaryFolder(), 'by-hand.yaml');
  writeFileSync(byHand, JSON.stringify({ kind: 'policy', ...document, allowedTools: ['*'] }));
  expect(await mandate('apply', '-f', byHand)).toMatchObject({ exitCode: 0 });
  const diff = await mandate('diff', '-f', folder);
  expect(diff).toMatchObject({ exitCode: 3 });
  expect(diff.stdout).toContain('~ policy support-team.clerk');
  expect(await mandate('apply', '-f', folder)).toMatchObject({ exitCode: 0 });
  const { versions = [] } = followed.tenant('default').policies.get('support-team.clerk') ?? {};
  expect(versions.map((one) => one.document.allowedTools)).toEqual([
    ['refund', 'search'],
    ['*'],
    ['refund', 'search'],
  ]);

  write(MANIFEST.replaceAll('clerk', 'helper'));
  const renamed = await mandate('diff', '-f', folder);
  expect(renamed.stdout).toContain('- agent support-team.clerk');
  expect(renamed.stdout).toContain('~ manifest support-team');
  expect(await mandate('apply', '-f', folder)).toMatchObject({ exitCode: 0 });
  expect([...followed.tenant('default').agents.keys()].sort()).toEqual([
    'bot',
    'support-team',
    'support-team.helper',
  ]);
  const pruned = await mandate('apply', '-f', join(folder, 'bot.yaml'), '--prune');
  expect(pruned.stdout).toContain('manifest support-team: removed\n');
  expect([...followed.tenant('default').agents.keys()]).toEqual(['bot']);
});

test('a folder with a gate accepts no manifest that the gate forbids', async () => {
  const { followed, mandate } = await controlService('default', 'author');
  const { folder } = teamFolder();
  writeFileSync(join(folder, 'gate.yaml'), 'max_risk_level: standard\n');
  const { exitCode, stderr } = await mandate('apply', '-f', folder);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('(GATE_VIOLATED)') });
  expect(followed.revision()).toBe(0);
});
