/** Read-only questions: balances, open actions, flags, and unpublished changes. */
import type { KillTarget } from '@mandate/schemas';
import {
  type Flag,
  type Flags,
  flagKey,
  killStatusIn,
  mergeFlag,
  targetOf,
  targetsAround,
} from '../memory/flags.ts';
import { compareBudgets, flagsInForce } from '../memory/queries.ts';
import { createState } from '../memory/state.ts';
import type {
  Ancestry,
  Balance,
  BudgetReference,
  KillInForce,
  KillStatus,
  OpenAction,
  Question,
  QuestionReference,
  Unpublished,
} from '../port.ts';
import { budgetNamed, counterName, grantName, sourceAt } from './keys.ts';
import { type OpenRow, openAction } from './open-list.ts';
import type { Micros } from './scripts/field-encoding.ts';
import { type EverythingFlag, type FlagState, inGroups, type KilledBy, type Shards } from './shards.ts';

export async function balances(shards: Shards, tenant: string): Promise<Balance[]> {
  const byName = new Map<string, number>();
  for (const which of ['spent', 'windows']) {
    for await (const page of pages(shards, tenant, 'balances', [which])) {
      for (let at = 0; at < page.length; at += 2) byName.set(String(page[at]), Number(page[at + 1]));
    }
  }
  return [...byName]
    .filter(([, spent]) => spent !== 0)
    .map(([name, spent]) => ({ tenant, budget: budgetNamed(name), spent }))
    .sort((a, b) => compareBudgets(a.budget, b.budget));
}

export async function spent(
  shards: Shards,
  tenant: string,
  budgets: readonly BudgetReference[],
): Promise<number[]> {
  const asked = budgets.map((budget) => [counterName(budget), budget.windowMs ?? false]);
  const [, , sums] = await shards.ask(tenant, 'spent', [JSON.stringify(asked)]);
  return (sums as Micros[]).map(Number);
}

export async function open(
  shards: Shards,
  tenant: string,
  agentId: string | undefined,
): Promise<OpenAction[]> {
  return openAsOf(shards, tenant, agentId ?? '', null);
}

/**
 * Returns open actions, oldest first.
 *
 * @param atMs if not null, only actions that were open at this time and are still open
 * @param counter if not '', only actions that were charged to this counter
 */
export async function openAsOf(
  shards: Shards,
  tenant: string,
  agentId: string,
  atMs: number | null,
  counter = '',
): Promise<OpenAction[]> {
  const byPosition = new Map<string, OpenAction>();
  for await (const page of pages(shards, tenant, 'open', [agentId, String(atMs ?? ''), counter])) {
    for (const [position, row] of page as OpenReply[]) byPosition.set(position, openAction(tenant, row));
  }
  return [...byPosition.values()].sort((a, b) => a.sequence - b.sequence);
}

type OpenReply = [position: string, row: OpenRow];

export async function unpublished(shards: Shards, tenant: string): Promise<Unpublished[]> {
  const byRow = new Map<string, { sequence: number; row: number; moved: Unpublished }>();
  for await (const page of pages(shards, tenant, 'unpublished', [])) {
    for (const [sequence, row, position, agentId, delta, counters] of page as UnpublishedReply[]) {
      const budgets = counters.map(budgetNamed);
      const source = sourceAt(position);
      const moved = { tenant, agentId, source, delta: Number(delta), budgets };
      byRow.set(`${sequence} ${row}`, { sequence, row, moved });
    }
  }
  return [...byRow.values()]
    .sort((a, b) => a.sequence - b.sequence || a.row - b.row)
    .map(({ moved }) => moved);
}

type UnpublishedReply = [
  sequence: number,
  row: number,
  position: string,
  agentId: string,
  delta: Micros,
  counters: string[],
];

/**
 * Runs a script in pages, so that it does not block Redis for long. A change during the run may or may not be
 * included.
 */
export async function* pages(
  shards: Shards,
  tenant: string,
  script: string,
  args: readonly string[],
): AsyncGenerator<unknown[]> {
  let cursor = '0';
  do {
    const [, , next, page] = (await shards.ask(tenant, script, [...args, cursor])) as [
      'OK',
      number,
      string,
      unknown[],
    ];
    yield page;
    cursor = next;
  } while (cursor !== '0');
}

export async function killStatus(
  shards: Shards,
  tenant: string,
  agentId: string,
  ancestry: Ancestry,
): Promise<KillStatus> {
  const flags = await flagsOf(shards, tenant, targetsAround(tenant, agentId, ancestry).map(flagKey));
  return killStatusIn(flags, tenant, agentId, ancestry);
}

export async function killed(shards: Shards, tenant: string): Promise<KillInForce[]> {
  return flagsInForce({ ...createState(0), flags: await flagsOf(shards, tenant, null) }, tenant);
}

export async function question(shards: Shards, asked: QuestionReference): Promise<Question> {
  const reply = await shards.ask(asked.tenant, 'read-question', [grantName(asked)]);
  const [, , state, expiresAtMs] = reply as ['OK', number, Question['state'], number];
  return { state, expiresAtMs: expiresAtMs === -1 ? null : expiresAtMs };
}

export async function waiting(shards: Shards, tenant: string): Promise<number> {
  const byAgent = new Map<string, number>();
  for await (const page of pages(shards, tenant, 'waiting', [])) {
    for (let at = 0; at < page.length; at += 2) byAgent.set(String(page[at]), Number(page[at + 1]));
  }
  return [...byAgent.values()].reduce((sum, number) => sum + number, 0);
}

export async function remembered(shards: Shards, tenant: string): Promise<number> {
  const [, , count] = (await shards.ask(tenant, 'count-remembered', [])) as ['OK', number, number];
  return count;
}

export async function flag(
  shards: Shards,
  target: KillTarget,
): Promise<{ killed: boolean; revision: number }> {
  const own =
    target.scope === 'all' ? (await shards.look()).everything?.state : await flagOfShard(shards, target);
  return { killed: own?.[0] === 1, revision: own?.[1] ?? 0 };
}

async function flagOfShard(
  shards: Shards,
  target: Exclude<KillTarget, { scope: 'all' }>,
): Promise<FlagState | undefined> {
  const args = [JSON.stringify([flagKey(target)]), ''];
  const [, , , found] = await shards.ask(target.tenant, 'read-flags', args);
  const [flag] = found as FlagReply[];
  return flag?.slice(1) as FlagState | undefined;
}

/**
 * Returns the flags of a tenant and of everything. `keys: null` means all flags. A kill of everything is in the
 * registry before it is in any shard, so both are read.
 */
async function flagsOf(shards: Shards, tenant: string, keys: readonly string[] | null): Promise<Flags> {
  const flags: Flags = new Map();
  const named = keys === null ? '' : JSON.stringify(keys);
  const [{ everything }, reply] = await Promise.all([
    shards.look(),
    shards.ask(tenant, 'read-flags', [named, '']),
  ]);
  if (everything !== null) mergeFlag(flags, everythingIn(everything));
  for (const flag of reply[3] as FlagReply[]) mergeFlag(flags, flagIn(flag));
  return flags;
}

/** A flag as read-flags.lua returns it. The last three elements are null if an older program wrote the flag. */
export type FlagReply = [key: string, ...FlagState, heldSince: number, ...KilledBy, sequence: number | null];

export function flagIn(reply: FlagReply): Flag {
  const [key, killed, revision, reason, atMs, heldSince, by, commandId, sequence] = reply;
  const flag = { target: targetOf(key), killed: killed === 1, revision, reason, atMs, heldSince };
  return { ...flag, pulled: flag.killed ? { by, commandId, sequence } : null };
}

export function everythingIn({ state, named }: EverythingFlag): Flag {
  return flagIn(['*', ...state, 0, ...named, null]);
}

/** Returns the tenants with at least one event, by name. */
export async function tenants(shards: Shards): Promise<string[]> {
  const names = (await shards.askRegistry('list-tenants', [])) as ['OK', number, string[]];
  const sequences = await inGroups(names[2], async (tenant) => {
    const [, , sequence] = await shards.ask(tenant, 'read-flags', ['[]', '']);
    return { tenant, sequence: Number(sequence) };
  });
  return sequences
    .filter(({ sequence }) => sequence > 0)
    .map(({ tenant }) => tenant)
    .sort();
}
