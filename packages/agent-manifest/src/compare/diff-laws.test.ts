/**
 * Laws of the comparison of manifests: no manifest differs from itself, however it is written, and the comparison
 * always reports a manifest that gives an agent more. The test computes from the meaning of the steps, not from fields,
 * what an agent gets.
 */
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentTool, catalogOf, type Entry, findDefinition, findTool } from '../catalog.ts';
import { withDefaults } from '../with-defaults.ts';
import { diffManifests } from './diff-manifests.ts';
import { someManifest } from './manifests.fixture.ts';

const NOTHING = { changes: [], highest: null, widens: false };

test('a manifest does not differ from itself', () => {
  fc.assert(
    fc.property(someManifest, (manifest) => {
      expect(diffManifests(manifest, manifest)).toEqual(NOTHING);
    }),
  );
});

test('the order of keys, members and tools, the design, and defaults written out change nothing', () => {
  fc.assert(
    fc.property(someManifest, (manifest) => {
      const rewritten = agentManifestDocument.parse(reversed(withDefaults(manifest)));
      const steps = Object.values(rewritten.workflow?.steps ?? {});
      for (const [at, step] of steps.entries()) step['x-design'] = { x: at };
      rewritten.metadata.design_metadata = { zoom: 2 };
      expect(diffManifests(manifest, rewritten)).toEqual(NOTHING);
      expect(diffManifests(rewritten, manifest)).toEqual(NOTHING);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.toReversed().map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

test('a manifest that allows more than another is wider, and the change is more than a patch', () => {
  let wider = 0;
  fc.assert(
    fc.property(someManifest, someManifest, (old, now) => {
      const more = givenMore(old, now);
      if (more.length === 0) return;
      wider += 1;
      const diff = diffManifests(old, now);
      expect({ more, widens: diff.widens }).toEqual({ more, widens: true });
      expect(diff.highest).not.toBe('PATCH');
    }),
    { numRuns: 1_000 },
  );
  expect(wider).toBeGreaterThan(100);
});

test('a small change that allows more makes the manifest wider', () => {
  let wider = 0;
  fc.assert(
    fc.property(someManifest, someManifest, fc.infiniteStream(fc.boolean()), (old, other, choices) => {
      const now = mixed(old, other, choices);
      const more = givenMore(old, now);
      if (more.length > 0) {
        wider += 1;
        expect({ more, widens: diffManifests(old, now).widens }).toEqual({ more, widens: true });
      }
    }),
    { numRuns: 1_000 },
  );
  expect(wider).toBeGreaterThan(100);
});

/**
 * A manifest with some parts of another manifest. It may refer to parts that it does not have, which does not matter
 * here.
 */
function mixed(old: AgentManifest, other: AgentManifest, choices: Iterator<boolean>): AgentManifest {
  const chosen = <Value>(one: Value, two: Value) => (choices.next().value === true ? one : two);
  const keys = Object.keys({ ...old.definitions, ...other.definitions });
  const definitions = keys.flatMap((key) => {
    const definition = chosen(old.definitions?.[key], other.definitions?.[key]);
    return definition === undefined ? [] : [[key, definition] as const];
  });
  return {
    ...old,
    metadata: chosen(old.metadata, other.metadata),
    policy: chosen(old.policy, other.policy),
    definitions: Object.fromEntries(definitions),
    workflow: chosen(old.workflow, other.workflow),
  };
}

/** Everything that the second manifest allows and the first does not: by run, by step, and by the family of agents. */
function givenMore(old: AgentManifest, now: AgentManifest): string[] {
  return [
    ...ofRuns(old, now),
    ...ofSteps(old, now),
    ...ofWorkflow(old, now),
    ...ofFamily(old, now),
    ...ofServers(old, now),
  ];
}

function ofRuns({ policy: was = {}, metadata: before }: AgentManifest, now: AgentManifest): string[] {
  const { policy: is = {}, metadata: after } = now;
  const raised = (from: number | undefined, to: number | undefined) => (from ?? Infinity) < (to ?? Infinity);
  return [
    ...(raised(was.max_steps, is.max_steps) ? ['max_steps'] : []),
    ...(raised(was.timeout, is.timeout) ? ['timeout'] : []),
    ...(raised(was.max_retries ?? 3, is.max_retries ?? 3) ? ['max_retries'] : []),
    ...(was.human_in_the_loop === true && is.human_in_the_loop !== true ? ['nobody is asked'] : []),
    ...(before.requires_auth === true && after.requires_auth !== true ? ['requires_auth'] : []),
  ];
}

/** For steps of both manifests: what the agent of the step can do now and could not do before. */
function ofSteps(old: AgentManifest, now: AgentManifest): string[] {
  return Object.keys(now.workflow?.steps ?? {}).flatMap((key) => {
    if (old.workflow?.steps[key] === undefined) return [];
    const [was, is] = [agentOf(old, key), agentOf(now, key)];
    if (is === null) return [];
    const had = was === null ? [] : toolsOf(old, was);
    const more = toolsOf(now, is).filter((tool) => !had.some((earlier) => covers(earlier, tool)));
    const limit = was?.definition.resources?.constraints?.rate_limit_rpm;
    const raised =
      limit !== undefined && limit < (is.definition.resources?.constraints?.rate_limit_rpm ?? Infinity);
    return [...more.map(({ name }) => `${key}: ${name}`), ...(raised ? [`${key}: rpm`] : [])];
  });
}

/** A tool of an agent that a step asks, which no step could reach before. */
function ofWorkflow(old: AgentManifest, now: AgentManifest): string[] {
  const all = (manifest: AgentManifest) =>
    Object.keys(manifest.workflow?.steps ?? {}).flatMap((key) => {
      const entry = agentOf(manifest, key);
      return entry === null ? [] : toolsOf(manifest, entry);
    });
  const had = all(old);
  return all(now)
    .filter((tool) => !had.some((earlier) => covers(earlier, tool)))
    .map(({ name }) => `workflow: ${name}`);
}

/** A tool that no agent of the old manifest had in this form. */
function ofFamily(old: AgentManifest, now: AgentManifest): string[] {
  const all = (manifest: AgentManifest) =>
    catalogOf(manifest).agent.entries.flatMap((entry) => toolsOf(manifest, entry));
  const had = all(old);
  return all(now)
    .filter((tool) => !had.some((earlier) => covers(earlier, tool)))
    .map(({ name }) => `family: ${name}`);
}

function ofServers(old: AgentManifest, now: AgentManifest): string[] {
  const all = ({ definitions = {} }: AgentManifest) =>
    Object.values(definitions).flatMap((definition) =>
      definition.type === 'tool_pack' ? (definition.mcp_servers ?? []).map(({ command }) => command) : [],
    );
  const had = all(old);
  return all(now).filter((command) => !had.includes(command));
}

function agentOf(manifest: AgentManifest, key: string): Entry<'agent'> | null {
  const step = manifest.workflow?.steps[key];
  const read = findDefinition(catalogOf(manifest), 'agent', step?.type === 'agent' ? step.agent : '');
  return read.found === 'ok' ? read.entry : null;
}

function toolsOf(manifest: AgentManifest, { definition }: Entry<'agent'>): AgentTool[] {
  const catalog = catalogOf(manifest);
  return (definition.tools ?? []).flatMap((entry) => {
    const read = findTool(catalog, entry);
    return read.found === 'ok' ? [read.tool] : [];
  });
}

const RANK = { safe: 0, standard: 1, critical: 2 };

/** True if the first tool lets an agent do all that the second lets it do. */
function covers(was: AgentTool, is: AgentTool): boolean {
  const rank = ({ risk }: AgentTool) => (risk === null ? 3 : RANK[risk]);
  return (
    was.name === is.name &&
    was.uri === is.uri &&
    rank(was) <= rank(is) &&
    (was.hash === null || is.hash !== null) &&
    valuesOf(is).every((value) => valuesOf(was).includes(value))
  );
}

/** The values that the argument `x` of an inline tool may have. */
function valuesOf({ inline }: AgentTool): string[] {
  const listed = JSON.stringify(inline?.parameters ?? {}).match(/"[ab]"/g);
  return inline === null ? [] : (listed ?? ['"a"', '"b"', 'other']);
}
