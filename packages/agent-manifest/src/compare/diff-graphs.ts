/** Compares two valid graph recipes: what changed, how much it matters, and whether an agent gets more. */
import type { GraphNode, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { type Graph, graphOf, hasEdge } from '../graph/graph.ts';
import { withDefaults } from '../with-defaults.ts';
import { type Change, changeAt, diffOf, type ManifestDiff } from './change.ts';
import {
  type FieldRule,
  type FieldRules,
  fieldsChanged,
  limitWidens,
  otherWidens,
  setChanged,
} from './fields.ts';
import { metadataChanged } from './metadata.ts';
import { type PassedBy, passedBy } from './people-passed-by.ts';
import { interfaceChanged, stateChanged } from './sides.ts';

const PATCH: FieldRule = { category: 'PATCH' };
const FEATURE: FieldRule = { category: 'FEATURE' };
const GOVERNANCE: FieldRule = { category: 'GOVERNANCE' };
const LIMIT: FieldRule = { category: 'GOVERNANCE', widens: limitWidens };
/** An agent of another manifest is known by its address only. This document does not say what the agent may do. */
const AGENT: FieldRule = { category: 'GOVERNANCE', widens: otherWidens };

export function diffGraphs(old: GraphRecipe, now: GraphRecipe): ManifestDiff {
  const [was, is] = [withDefaults(old), withDefaults(now)];
  const [before, after] = [graphOf(was), graphOf(is)];
  return diffOf([
    ...metadataChanged(was, is),
    ...interfaceChanged('interface', was.interface, is.interface),
    ...stateChanged('state.properties', was.state?.properties, is.state?.properties),
    ...fieldsChanged('state', was.state, is.state, { persistence: { category: 'RESOURCE' } }),
    ...fieldsChanged('policy', was.policy, is.policy, POLICY),
    ...fieldsChanged('topology', was.topology, is.topology, { entry_point: GOVERNANCE }),
    ...setChanged('topology.edges', before.next, after.next, GOVERNANCE),
    ...setChanged('topology.edges', labelsOf(was, before), labelsOf(is, after), PATCH),
    ...nodesChanged(before, after, passedBy(before, after)),
  ]);
}

const POLICY: FieldRules = { max_retries: LIMIT, timeout_seconds: LIMIT, execution_mode: GOVERNANCE };

/** The labels of edges. An edge of a router or an evaluator repeats a route, and adds no information. */
function labelsOf({ topology: { edges } }: GraphRecipe, { nodes }: Graph): ReadonlyMap<string, string> {
  return new Map(
    edges.flatMap(({ source, condition = '' }) =>
      condition !== '' && hasEdge(nodes.get(source)) ? [[`${source}.condition`, condition] as const] : [],
    ),
  );
}

function nodesChanged(was: Graph, is: Graph, passed: PassedBy): Change[] {
  const ids = new Set([...was.nodes.keys(), ...is.nodes.keys()]);
  const nodes = [...ids].flatMap((id) => {
    const path = `topology.nodes.${id}`;
    const [old, now] = [was.nodes.get(id), is.nodes.get(id)];
    if (now === undefined)
      return [
        changeAt(path, old, now, { category: 'BREAKING', widens: old?.type === 'human' ? true : null }),
      ];
    const isFreed = passed.nodes.has(id) ? true : null;
    if (old === undefined) return [changeAt(path, old, now, { category: 'FEATURE', widens: isFreed })];
    return [...nodeChanged(path, old, now), ...(isFreed ? [wider(path)] : [])];
  });
  // A removed person, and a person that became another type of node, are already reported.
  const people = [...passed.people].filter((id) => is.nodes.get(id)?.type === 'human');
  return [...nodes, ...people.map((id) => wider(`topology.nodes.${id}`))];
}

const NODE_FIELDS: FieldRules = {
  type: { category: 'GOVERNANCE', widens: (was) => (was === 'human' ? true : null) },
  metadata: PATCH,
  agent_ref: AGENT,
  system_prompt_override: FEATURE,
  inputs_map: FEATURE,
  prompt: FEATURE,
  timeout_seconds: LIMIT,
  required_role: { category: 'GOVERNANCE', widens: roleWidens },
  input_key: GOVERNANCE,
  routes: GOVERNANCE,
  default_route: GOVERNANCE,
  target_variable: GOVERNANCE,
  evaluator_agent_ref: AGENT,
  evaluation_profile: GOVERNANCE,
  pass_threshold: { category: 'GOVERNANCE', widens: thresholdWidens },
  max_refinements: LIMIT,
  pass_route: GOVERNANCE,
  fail_route: GOVERNANCE,
  feedback_variable: GOVERNANCE,
};

function nodeChanged(path: string, was: GraphNode, is: GraphNode): Change[] {
  return fieldsChanged(path, was, is, NODE_FIELDS);
}

/** Without a role, any person may answer. Nothing says which of two roles is stricter. */
function roleWidens(was: unknown, is: unknown): boolean | null {
  if (is === undefined) return true;
  return was === undefined ? false : null;
}

function thresholdWidens(was: unknown, is: unknown): boolean | null {
  return typeof was === 'number' && typeof is === 'number' ? is < was : null;
}

/** A person who is no longer asked on every path, or an agent that a path now reaches. */
function wider(path: string): Change {
  return { path, category: 'GOVERNANCE', change: 'changed', widens: true };
}
