/** Puts many things of one kind into a ledger, kind after kind, so that the memory of each kind can be measured. */
import type { Ledger, Operation } from '@mandate/ledger';
import { type Action, DEFAULTS, type SettleRequest, type StepRequest } from '@mandate/schemas';
import { LIMITED_TOOL, mandateDocument, mandateOf } from './mandate.ts';
import { nextSource, stepRequestOf } from './step-requests.ts';

const AGENTS = 200;
/** The number of open questions of an agent in the bench. It is below the number that one agent may have. */
const QUESTIONS_OF_AN_AGENT = 40;
const BATCH = 500;
const AT_ONCE = 100;

const ASKED = 'get0_asked';
const mandate = mandateOf({
  ...mandateDocument({ globs: 10 }),
  toolPolicies: { [LIMITED_TOOL]: { cost: 0.1 }, [ASKED]: { requiresConfirmation: true, cost: 0.1 } },
});

export type Filling = { readonly what: string; fill(ledger: Ledger): Promise<void> };

/**
 * Returns functions that fill a ledger with one kind of things each. Their order matters, because later kinds need
 * earlier ones. Ids have 20 characters, and names of agents have 12. Each kind makes its own requests, so that the
 * ledger does not share texts with another kind's requests.
 */
export function fillings(each: number): readonly Filling[] {
  const refused = () => requests(each, 'bad', 'delete_all', () => 'looping-0001');
  const running = () => requests(each, 'runs', LIMITED_TOOL, (at) => `fleet-${number(at % AGENTS, 6)}`);
  const alone = () => requests(each, 'alone', LIMITED_TOOL, (at) => `alone-${number(at, 6)}`);
  const asking = () =>
    requests(each, 'asks', ASKED, (at) => `asker-${number(Math.floor(at / QUESTIONS_OF_AN_AGENT), 6)}`);
  const kinds: [string, (ledger: Ledger) => Promise<void>][] = [
    ['a refused action, remembered', (ledger) => steps(ledger, refused())],
    // On Redis, a kill reads all running actions. So the kills are filled in before any action runs.
    ['a kill of an agent', (ledger) => inGroups(numbersTo(each), (at) => kill(ledger, at))],
    ['an allowed action that runs, with its reservation', (ledger) => steps(ledger, running())],
    ['the outcome of that action, after it is settled', (ledger) => steps(ledger, running().map(outcomeOf))],
    ['an agent with its counters, and one action that runs', (ledger) => steps(ledger, alone())],
    ['a question that waits for a person', (ledger) => steps(ledger, asking())],
    ['a grant', (ledger) => inGroups(asking(), (asked) => grant(ledger, asked))],
  ];
  return kinds.map(([what, fill]) => ({ what, fill }));
}

function requests(count: number, kind: string, tool: string, agentOf: (at: number) => string): StepRequest[] {
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, at) => {
    const action: Action = {
      id: `act_${kind}_${number(at, 15 - kind.length)}`,
      agentId: agentOf(at),
      type: 'tool_call',
      tool,
    };
    return asRead(stepRequestOf(action, mandate, nowMs));
  });
}

/**
 * Copies all texts as flat strings, like those of a parsed record. V8 stores a concatenated text differently, which
 * would change the measured memory.
 */
function asRead<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function outcomeOf({ tenant, agentId, actionId, attempt, maxRemembered }: StepRequest): SettleRequest {
  const said = { status: 'success', actualMicros: 90_000, verified: null, mayRelease: false } as const;
  return { op: 'settle', source: nextSource(), tenant, agentId, actionId, attempt, maxRemembered, ...said };
}

/** Runs the step and its confirmation, as deciders do. The ledger deletes a plan when the step is confirmed. */
async function steps(ledger: Ledger, operations: readonly Operation[]): Promise<void> {
  for (let from = 0; from < operations.length; from += BATCH) {
    const batch = operations.slice(from, from + BATCH);
    await ledger.step(batch);
    await ledger.confirm(ledger.epoch, batch);
  }
}

async function grant(ledger: Ledger, { tenant, agentId, actionId, digest }: StepRequest): Promise<void> {
  const subject = {
    tenant,
    agentId,
    actionId,
    digest,
    answer: 'granted',
    expiresAtMs: Date.now() + 300_000,
  } as const;
  await ledger.approve({
    id: `apr_${actionId}_0123456789abcdef`,
    by: 'operator (0123456789ab)',
    reason: 'as agreed',
    ...subject,
  });
}

async function kill(ledger: Ledger, at: number): Promise<void> {
  const target = { scope: 'agent', tenant: DEFAULTS.tenant, agentId: `killed-${number(at, 5)}` } as const;
  await ledger.kill(target, {
    id: `kil_${number(at, 36)}`,
    by: 'operator (0123456789ab)',
    reason: 'it ran away',
  });
}

async function inGroups<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map(act));
}

function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function number(at: number, digits: number): string {
  return String(at).padStart(digits, '0');
}
