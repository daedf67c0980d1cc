import { gateDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { type PublicationOptions, publicationOf } from './publication.ts';
import { filesInMemory, type ManifestFiles } from './read/manifest-files.ts';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Team, requires_auth: true }
definitions:
  search: { type: tool, name: Search, uri: "mcp://search.example/v1", risk_level: critical }
  clerk: { type: agent, name: Clerk, role: clerk, goal: answer, tools: [search], knowledge: [faq.md, handbook] }
workflow:
  start: answer
  steps:
    answer: { type: agent, agent: clerk, next: score }
    score: { type: logic, code: code/score.py }
`;
const FILES = { 'team.yaml': MANIFEST, 'code/score.py': 'def run(): pass\n', 'faq.md': 'Why?\n' };
const OPTIONS = { defaultModel: 'claude-haiku-4-5' };

const published = (
  files: Readonly<Record<string, string>> | ManifestFiles = FILES,
  options: PublicationOptions = OPTIONS,
  gate: object | null = null,
) => {
  const all =
    typeof files.read === 'function' ? (files as ManifestFiles) : filesInMemory(files as typeof FILES);
  return publicationOf(all, 'team.yaml', options, gate && gateDocument.parse(gate));
};
const codesIn = (read: ReturnType<typeof published>) =>
  read.ok ? [] : read.faults.map(({ code, path }) => `${code} ${path}`);

test('contains the manifest as text, the files that a run needs, and documents with their defaults', () => {
  const read = published();
  if (!read.ok) throw new Error(JSON.stringify(read));
  const { id, text, options, files, agents, rules } = read.published;
  expect([id, agents[0]?.id, JSON.parse(options)]).toEqual(['team', 'team', OPTIONS]);
  expect(JSON.parse(text)).toMatchObject({ metadata: { name: 'Team' }, workflow: { start: 'answer' } });
  // The knowledge "handbook" is not a file here, so it may be an id.
  expect(files).toEqual({ 'code/score.py': FILES['code/score.py'], 'faq.md': FILES['faq.md'] });
  expect(rules[0]).toMatchObject({ mode: 'enforce', priority: 0 });
});

test('is refused if a file that a run needs is missing or is not text', () => {
  expect(codesIn(published({ 'team.yaml': MANIFEST }))).toEqual(['REF_MISSING workflow.steps.score.code']);
  const inMemory = filesInMemory(FILES);
  const binary: ManifestFiles = {
    ...inMemory,
    read: (path) =>
      path.endsWith('.py')
        ? { found: 'source', source: new Uint8Array([0xff, 0xfe, 0x80]) }
        : inMemory.read(path),
  };
  expect(codesIn(published(binary))).toEqual(['REF_MISSING workflow.steps.score.code']);
});

test('is refused with the faults of the manifest or of its compilation', () => {
  expect(
    codesIn(published({ ...FILES, 'team.yaml': MANIFEST.replace('agent: clerk', 'agent: clark') })),
  ).toEqual(['REFERENCE_MISSING workflow.steps.answer.agent']);
  expect(codesIn(published(FILES, {}))).toEqual(['MODEL_MISSING definitions.clerk.model']);
  expect(codesIn(published(FILES, { ...OPTIONS, id: 'no*star' }))).toContain('COMPILE_ID_INVALID options.id');
});

const GRAPH = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Review }
topology:
  entry_point: write
  nodes:
    - { type: agent, id: write, agent_ref: desk.writer }
    - type: evaluator
      id: judge
      target_variable: write
      evaluator_agent_ref: desk.judge
      evaluation_profile: standard
      pass_threshold: 0.8
      max_refinements: 1
      pass_route: done
      fail_route: write
      feedback_variable: critique
    - { type: human, id: done, prompt: "Publish this?" }
  edges: [{ source: write, target: judge }]
`;

test('accepts a graph recipe, and refuses it if one of its agents is not published', () => {
  const published = (...known: readonly string[]) =>
    publicationOf(filesInMemory({ 'g.yaml': GRAPH }), 'g.yaml', {}, gateDocument.parse({}), {
      isAgent: (id) => known.includes(id),
    });
  expect(published('desk.writer', 'desk.judge')).toMatchObject({
    ok: true,
    namedAgents: ['desk.writer', 'desk.judge'],
    published: {
      id: 'review',
      files: {},
      policies: [{ allowedTools: ['step.done', 'step.judge', 'step.write'] }],
    },
  });
  expect(published('desk.writer')).toMatchObject({
    ok: false,
    faults: [
      { code: 'REFERENCE_MISSING', path: 'topology.nodes.1.evaluator_agent_ref', line: 11, column: 7 },
    ],
  });
});

test('asks the gate first, and reports every violation', () => {
  const read = published({ 'team.yaml': MANIFEST }, OPTIONS, {
    max_risk_level: 'safe',
    allow_custom_logic: false,
  });
  expect(read).toMatchObject({
    ok: false,
    faults: [],
    violations: [
      { rule: 'custom_logic_restriction', component: 'score' },
      { rule: 'risk_level_restriction', component: 'search' },
    ],
  });
});
