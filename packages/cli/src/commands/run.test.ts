/** Tests `mandate run --mock`, which plays a manifest file without a plane. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const HEAD = 'apiVersion: coreason.ai/v2\nkind: Recipe\nmetadata: { name: Desk, version: "1.0.0" }\n';
const WORKFLOW = `${HEAD}interface: { inputs: { message: { type: string } } }
definitions:
  w: { type: agent, name: W, role: r, goal: g, model: claude-haiku-4-5 }
workflow:
  start: triage
  steps:
    triage: { type: agent, agent: w, next: answer }
    answer: { type: agent, agent: w }
`;
const GRAPH = `${HEAD}topology:
  entry_point: ask
  nodes: [{ type: human, id: ask, prompt: "ok?" }, { type: agent, id: write, agent_ref: team.w }]
  edges: [{ source: ask, target: write }]
`;
const AGENT = `${HEAD}definitions:
  w: { type: agent, name: W, role: r, goal: g, model: claude-haiku-4-5 }
`.replace('kind: Recipe', 'kind: Agent');

function mocked(text: string, ...args: string[]) {
  const file = join(temporaryFolder(), 'desk.yaml');
  writeFileSync(file, text);
  return runCommand(['run', file, '--mock', ...args]);
}

test.each([
  ['a workflow', WORKFLOW, ['triage', 'answer']],
  ['a graph', GRAPH, ['ask', 'write']],
  ['an agent', AGENT, ['w']],
])('refuses outputs of a step that %s does not have, and lists the steps', async (_what, text, steps) => {
  const inputs = ['--inputs', '{"message": "hi"}'];
  const outputs = (name = '') => ['--mock-outputs', JSON.stringify({ [name]: 'told' })];
  const wrong = await mocked(text, ...inputs, ...outputs('triaje'));
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).toContain('triaje');
  expect(wrong.stderr).toContain(`The steps are ${steps.join(', ')}.`);
  const right = await mocked(text, ...inputs, ...outputs(steps.at(-1)));
  expect([right.exitCode, right.stderr]).toEqual([0, '']);
  expect(right.stdout).toContain('"told"');
});

test.each([
  ['{"message": "hi", "extra": 1}', '/extra is not a known input'],
  ['{}', '/message is missing'],
  ['{"message": 1}', '/message must be a string, and is a number'],
])('says what is wrong with the inputs %s', async (inputs, said) => {
  const { exitCode, stderr } = await mocked(WORKFLOW, '--inputs', inputs);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`The inputs are wrong: ${said}.`)]);
});
