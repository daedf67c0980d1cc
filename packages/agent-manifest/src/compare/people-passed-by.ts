/**
 * Finds the people that a run of a new graph can avoid. In the old graph, every path to some node leads through such a
 * person. In the new graph, one path does not.
 */
import type { GraphNode } from '@mandate/schemas/agent-manifest';
import { type Graph, targetsOf } from '../graph/graph.ts';
import { type Dominators, dominatorsOf } from './dominators.ts';

export type PassedBy = {
  /** The people of both graphs that a run can now avoid, by their ids. */
  people: ReadonlySet<string>;
  /**
   * New nodes that call their agent without asking a person first, or that call an agent which the old graph did not
   * call.
   */
  nodes: ReadonlySet<string>;
};

type Asked = { graph: Graph; dominators: Dominators; person: ReadonlyMap<string, string | null> };

export function passedBy(old: Graph, now: Graph): PassedBy {
  const [was, is] = [askedIn(old), askedIn(now)];
  const people = new Set<string>();
  const nodes = new Set<string>();
  const before = peopleBeforeAgents(was);
  for (const id of is.person.keys()) {
    const person = was.person.get(id);
    // Only the closest person is checked here. That person is a node too, so the check of that node covers the people
    // before it.
    if (person !== undefined && person !== null && !asks(is, person, id)) people.add(person);
    const agent = agentOf(is.graph.nodes.get(id));
    if (person !== undefined || agent === null) continue;
    const asked = before.get(agent) ?? new Set();
    if (![...asked].some((earlier) => earlier === null || asks(is, earlier, id))) nodes.add(id);
  }
  return { people, nodes };
}

/** The closest person on all paths to each node that can be reached. Null: there is none. */
function askedIn(graph: Graph): Asked {
  const dominators = dominatorsOf(graph.entry, targetsOf(graph));
  const person = new Map<string, string | null>();
  // A dominator comes before the nodes that it dominates.
  for (const [id, parent] of dominators.parent) {
    const above = parent === null ? null : (person.get(parent) ?? null);
    person.set(id, parent !== null && graph.nodes.get(parent)?.type === 'human' ? parent : above);
  }
  return { graph, dominators, person };
}

/** A person that became another type of node is reported by the change of the type. */
function asks({ dominators }: Asked, person: string, id: string): boolean {
  return dominators.dominates(person, id);
}

/** For each agent of a graph: the closest people before the nodes that call it. */
function peopleBeforeAgents({ graph, person }: Asked): ReadonlyMap<string, ReadonlySet<string | null>> {
  const people = new Map<string, Set<string | null>>();
  for (const [id, closest] of person) {
    const agent = agentOf(graph.nodes.get(id));
    if (agent === null) continue;
    const known = people.get(agent) ?? new Set();
    people.set(agent, known.add(closest));
  }
  return people;
}

/** The agent that a node calls. Null for a person and a router. */
function agentOf(node: GraphNode | undefined): string | null {
  if (node?.type === 'agent') return node.agent_ref;
  return node?.type === 'evaluator' ? node.evaluator_agent_ref : null;
}
