/** Makes the turns of agents under a manifest: prompts, calls, reads, saves and answers, for many persons. */
import type { Outgoing } from '@mandate/bus';
import { compileManifest, loadManifest } from '@mandate/manifest';
import { agentKey } from '@mandate/schemas';
import { stringify } from 'yaml';
import { pick } from './agents-at-work.ts';

/** The most tool calls of a turn. */
export const CALLS_OF_TURN = 4;
/** The most calls of `send` for each person in the whole run. */
export const SENDS_OF_PERSON = 8;
/** More than a turn allows. */
const NOTES = 5;
/** Few enough that a call fits into the turn after a person has approved it. */
const NOTES_BESIDE_WIPE = 2;

const MANIFEST = `
version: "1.0"
name: tutor
memory:
  stores: [{ id: episodic, type: vector, backend: sqlite }]
intents:
  - { id: learn, triggers: { keywords: [learn] } }
  - { id: chat, triggers: { fallback: true } }
tools:
  - { id: note, description: Writes a note }
  - { id: send, description: Sends a card }
  - { id: wipe, description: Deletes the plan, sensitive: true }
specialists:
  - id: curator
    handles_intents: [learn]
    uses_tools: [note, send, wipe]
    memory_access: { read: [episodic], write: [episodic] }
`;

const POLICY = `
version: "1.0"
name: everybody
roles: [{ id: user, level: 1 }]
tool_permissions:
  note: { allowed_roles: [user] }
  send: { allowed_roles: [user], rate_limit: ${SENDS_OF_PERSON}/day }
  wipe: { allowed_roles: [user] }
memory_policies:
  core_principle: system_decides_memory
  read: { user_isolation: true, intent_mapping: { learn: [episodic], chat: [episodic] } }
  write:
    triggers: { episodic: { event: interaction_complete, condition: always } }
guardrails:
  agent: { max_tool_calls_per_turn: ${CALLS_OF_TURN} }
`;

/** Returns the manifest as a mandate of all agents, with a charge for each call. */
export function governedMandates(): string {
  const loaded = loadManifest({ manifest: MANIFEST, policy: POLICY });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const [policy] = compileManifest(loaded).policies;
  const toolPolicies = Object.fromEntries(
    Object.entries(policy?.toolPolicies ?? {}).map(([tool, its]) => [tool, { ...its, cost: 0.001 }]),
  );
  const rateLimit = { maxCalls: 100_000, windowMs: 86_400_000 };
  return stringify({
    ...policy,
    agents: ['*'],
    toolPolicies,
    rateLimit,
    maxOpen: 'unlimited',
    maxCostTotal: 1_000,
  });
}

/** A turn of an agent with a person, and what the agent asks in it, in this order. */
export type AskedTurn = {
  readonly id: string;
  readonly agentId: string;
  readonly person: string;
  readonly prompt: TurnAction;
  /** Is asked before the notes, so the limit of the turn never refuses it. Only the rate of the person does. */
  readonly send: TurnAction;
  readonly notes: readonly TurnAction[];
  /** Needs the approval of a person. Absent in most turns. */
  readonly wipe?: TurnAction;
  /** Names the turn of another agent, so it must be refused. */
  readonly stolen?: TurnAction;
  readonly others: readonly TurnAction[];
};

export type TurnAction = { readonly id: string; readonly agentId: string } & Readonly<
  Record<string, unknown>
>;

/** Returns `count` turns, numbered from `from`. */
export function askedTurns(
  from: number,
  count: number,
  random: () => number,
  { agents = 23, persons = 31 } = {},
): AskedTurn[] {
  return Array.from({ length: count }, (_, at) => {
    const number = from + at;
    const id = `turn-${number}`;
    const agentId = `agent-${number % agents}`;
    const person = `person-${Math.floor(random() * persons)}`;
    const common = { agentId, principal: { id: person, role: 'user' }, deadlineMs: 3_600_000 };
    const inTurn = (name: string, fields: object) => ({
      ...common,
      id: `${id}-${name}`,
      turnId: id,
      ...fields,
    });
    const call = (name: string, tool: string) => inTurn(name, { type: 'tool_call', tool });
    const hasWipe = number % 8 === 0;
    return {
      ...{ id, agentId, person },
      prompt: { ...common, id, type: 'prompt', text: pick(['I want to learn', 'we learn'], random) },
      send: call('send', 'send'),
      notes: Array.from({ length: hasWipe ? NOTES_BESIDE_WIPE : NOTES }, (_, note) =>
        call(`note-${note}`, 'note'),
      ),
      ...(hasWipe && { wipe: call('wipe', 'wipe') }),
      ...(number % 8 === 1 && { stolen: { ...call('stolen', 'note'), turnId: `turn-${number - 1}` } }),
      others: [
        inTurn('read', { type: 'memory_read' }),
        inTurn('save', { type: 'memory_write', event: 'interaction_complete', text: { user: 'I learn' } }),
        inTurn('output', { type: 'output', text: 'Here is your card.' }),
      ],
    };
  });
}

/** Returns the actions of a turn in the order in which its agent asks them. */
export function actionsOf({ prompt, wipe, send, notes, stolen, others }: AskedTurn): TurnAction[] {
  return [
    prompt,
    ...(wipe === undefined ? [] : [wipe]),
    send,
    ...notes,
    ...(stolen === undefined ? [] : [stolen]),
    ...others,
  ];
}

export function requested(action: TurnAction): Outgoing {
  return {
    key: agentKey('default', action.agentId),
    value: JSON.stringify({ event: 'action.requested', action }),
  };
}
