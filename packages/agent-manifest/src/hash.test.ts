import { agentManifestDocument, graphRecipeDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { hashOfManifest } from './hash.ts';

const base = {
  apiVersion: 'coreason.ai/v2',
  kind: 'Recipe',
  metadata: { name: 'M' },
  definitions: { w: { type: 'agent', role: 'r', goal: 'g' } },
};
const agent = { type: 'agent', agent: 'w' };
const withSteps = (steps: object, metadata: object = {}) =>
  agentManifestDocument.parse({
    ...base,
    metadata: { ...base.metadata, ...metadata },
    workflow: { start: 'a', steps },
  });
const hashOfSteps = (steps: object, metadata?: object) => hashOfManifest(withSteps(steps, metadata));

test('leaves the field `design` of the metadata and of steps out of the hash', () => {
  const plain = hashOfSteps({ a: agent });
  expect(hashOfSteps({ a: { ...agent, 'x-design': { x: 1 } } })).toBe(plain);
  expect(hashOfSteps({ a: { ...agent, design_metadata: { x: 2 } } })).toBe(plain);
  expect(hashOfSteps({ a: agent }, { 'x-design': { color: '#123456' } })).toBe(plain);
});

test('hashes an input of a step that has the name of the field `design`', () => {
  const of = (inputs: object) => hashOfSteps({ a: { ...agent, inputs } });
  expect(of({ 'x-design': { x: 1 } })).not.toBe(of({ 'x-design': { x: 2 } }));
  expect(hashOfSteps({ 'x-design': agent, a: agent })).not.toBe(hashOfSteps({ a: agent }));
});

test('hashes the order of the cases of a switch', () => {
  const choose = (cases: object) => hashOfSteps({ a: { type: 'switch', cases }, b: agent, c: agent });
  const [one, two] = [{ 'inputs.x > 1': 'b' }, { 'inputs.x > 0': 'c' }];
  expect(choose({ ...one, ...two })).not.toBe(choose({ ...two, ...one }));
  expect(choose({ ...one, ...two })).toBe(choose({ ...one, ...two }));
});

test('hashes a graph recipe, and a manifest without a workflow', () => {
  const { definitions: _, ...head } = base;
  const graph = (metadata: object) =>
    hashOfManifest(
      graphRecipeDocument.parse({
        ...head,
        metadata: { name: 'G', ...metadata },
        topology: { entry_point: 'a', nodes: [{ type: 'agent', id: 'a', agent_ref: 'w' }], edges: [] },
      }),
    );
  expect(graph({ 'x-design': { x: 1 } })).toBe(graph({}));
  expect(graph({ owner: 'ann' })).not.toBe(graph({}));
  expect(hashOfManifest(agentManifestDocument.parse({ ...base, kind: 'Agent' }))).toMatch(/^[0-9a-f]{64}$/);
});
