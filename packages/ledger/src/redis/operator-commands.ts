/** Operators' commands: kill, revive, adjust a counter, and answer a deferred action. */

import { MandateError } from '@mandate/runtime';
import type { KillTarget, OpenAction } from '@mandate/schemas';
import { totalOf } from '@mandate/step';
import { adjustmentTooLarge, approvalNotFound, approvalNotWaiting } from '../command-errors.ts';
import { commandMemoryMs } from '../memory/commands.ts';
import { flagKey } from '../memory/flags.ts';
import type { Adjustment, Approval, Command, KillCommand, Killed, KillReceipt, Receipt } from '../port.ts';
import { counterName, grantName } from './keys.ts';
import { listOf, type OpenList, openIn } from './open-list.ts';
import { openAsOf } from './queries.ts';
import { inGroups, type Shards } from './shards.ts';

export async function kill(shards: Shards, target: KillTarget, command: KillCommand): Promise<Killed> {
  if (target.scope === 'all') return killEverything(shards, command);
  const { tenant } = target;
  const killed = await killShard(shards, tenant, {
    flag: flagKey(target),
    agentId: target.scope === 'agent' ? target.agentId : '',
    // The counter is used only for a subtree, because each ALLOW of a descendant is charged to the total of the
    // subtree's top agent. The text has the format of stored charges.
    counter: target.scope === 'subtree' ? JSON.stringify(counterName(totalOf(target.agentId))) : '',
    revision: '',
    command,
    controlRevision: target.scope === 'subtree' ? (command.controlRevision ?? 0) : 0,
  });
  await shards.replicated([tenant]);
  const { revision, heldSince, sequence, open, stands } = killed;
  return { revision, heldSince, sequences: sequence === null ? {} : { [tenant]: sequence }, open, stands };
}

/**
 * Sets the flag on the registry first, because tenants are opened there. Then sets it on every shard, which takes a
 * sequence and lists its open actions. Throws LEDGER_UNAVAILABLE (retryable) with the tenants that did not
 * acknowledge. A repeated command continues with these tenants.
 */
async function killEverything(shards: Shards, command: Command): Promise<Killed> {
  const args = [commandMemoryMs(shards.replayMemoryMs), command.id, command.reason];
  const begun = await shards.askRegistry('kill-everything', [...args, '', command.by]);
  if (begun[0] === 'DONE')
    return { ...(JSON.parse(String(begun[1])) as KillReceipt), stands: begun[2] === 1 };
  const [, , revision, tenants] = begun as ['OK', number, number, string[]];
  const killed = await onEveryShard(shards, tenants.sort(), (tenant) =>
    killShard(shards, tenant, { flag: '*', agentId: '', counter: '', revision, command, controlRevision: 0 }),
  );
  await shards.connection.replicated();
  const receipt: KillReceipt = {
    revision,
    heldSince: 0,
    sequences: Object.fromEntries(
      killed.flatMap(({ tenant, sequence }) => (sequence === null ? [] : [[tenant, sequence]])),
    ),
    open: killed.flatMap(({ open }) => open),
  };
  const [, , stands] = await shards.askRegistry('kill-everything', [
    ...args,
    JSON.stringify(receipt),
    command.by,
  ]);
  return { ...receipt, stands: stands === 1 };
}

type KilledShard = {
  tenant: string;
  revision: number;
  heldSince: number;
  sequence: number | null;
  open: OpenAction[];
  stands: boolean;
};

async function killShard(
  shards: Shards,
  tenant: string,
  order: {
    flag: string;
    agentId: string;
    counter: string;
    revision: number | '';
    command: Command;
    controlRevision: number;
  },
): Promise<KilledShard> {
  const { flag, agentId, counter, revision, command, controlRevision } = order;
  const args = [commandMemoryMs(shards.replayMemoryMs), flag, command.id, command.reason, agentId, revision];
  for (let read = ''; ; ) {
    const reply = await shards.askAnyway(tenant, 'kill', [
      ...args,
      read,
      counter,
      controlRevision,
      command.by,
    ]);
    const [, , inForce, sequence, listed, atMs, stands, heldSince] = reply as KillReply;
    if (listed !== null) {
      const open = openIn(tenant, listed);
      return { tenant, revision: inForce, heldSince, sequence, open, stands: stands === 1 };
    }
    // The flag is in force, so the list cannot grow any more.
    const open = await openAsOf(shards, tenant, agentId, atMs, counter);
    read = listOf(open);
  }
}

type KillReply = [
  'OK',
  number,
  revision: number,
  sequence: number | null,
  open: OpenList | null,
  atMs: number,
  stands: 1 | null,
  heldSince: number,
];

async function onEveryShard<Answer>(
  shards: Shards,
  tenants: readonly string[],
  act: (tenant: string) => Promise<Answer>,
): Promise<Answer[]> {
  const settled = await inGroups(tenants, async (tenant) => (await Promise.allSettled([act(tenant)]))[0]);
  const missing = tenants.filter((_, at) => settled[at]?.status === 'rejected');
  if (missing.length > 0) {
    const failed = settled.find((each) => each.status === 'rejected');
    shards.log.error({ err: failed?.reason, tenants: missing }, 'shards did not acknowledge');
    throw new MandateError(
      'LEDGER_UNAVAILABLE',
      `${missing.length} of ${tenants.length} tenants did not acknowledge: ${missing.slice(0, 20).join(', ')}.`,
      {
        remedy: 'Send the same command again, with the same id, until all tenants have acknowledged it.',
        retryable: true,
        cause: failed?.reason,
      },
    );
  }
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

export async function revive(
  shards: Shards,
  target: KillTarget,
  revision: number,
  commandId: string,
): Promise<boolean> {
  if (target.scope === 'all') return !(await reviveEverything(shards, commandId, revision)).killed;
  const args = [commandMemoryMs(shards.replayMemoryMs), flagKey(target), revision, commandId];
  const [, , killed] = await shards.ask(target.tenant, 'revive', args);
  await shards.replicated([target.tenant]);
  return killed !== 1;
}

/**
 * Returns whether the revive was carried out. First completes a revive that did not reach every shard, because the
 * caller does nothing more after true.
 */
export async function revived(shards: Shards, target: KillTarget, commandId: string): Promise<boolean> {
  if (target.scope === 'all') return (await reviveEverything(shards, commandId, null)).begun;
  const args = ['[]', `revive ${flagKey(target)} ${commandId}`];
  const [, , , , done] = await shards.ask(target.tenant, 'read-flags', args);
  return done === 1;
}

/** @param revision null to complete an unfinished revive, if there is one */
async function reviveEverything(
  shards: Shards,
  commandId: string,
  revision: number | null,
): Promise<{ killed: boolean; begun: boolean }> {
  const args = [commandMemoryMs(shards.replayMemoryMs), commandId, revision ?? ''];
  const reply = await shards.askRegistry('revive-everything', [...args, '']);
  const [, , killed, carried, tenants, begun] = reply as [
    'OK',
    number,
    1 | null,
    number | null,
    string[],
    1 | null,
  ];
  if (carried !== null) {
    const shardArgs = [commandMemoryMs(shards.replayMemoryMs), '*', carried, commandId];
    await onEveryShard(shards, tenants, (tenant) => shards.askAnyway(tenant, 'revive', shardArgs));
    await shards.connection.replicated();
    await shards.askRegistry('revive-everything', [...args, 'acknowledged']);
  }
  return { killed: killed === 1, begun: begun === 1 };
}

export async function adjust(shards: Shards, adjustment: Adjustment): Promise<Receipt & { spent: number }> {
  const { tenant, budget, delta, id } = adjustment;
  const args = [
    commandMemoryMs(shards.replayMemoryMs),
    id,
    counterName(budget),
    budget.windowMs ?? '',
    delta,
  ];
  const reply = await shards.ask(tenant, 'adjust', args);
  if (reply[0] === 'TOO_LARGE') throw adjustmentTooLarge();
  await shards.replicated([tenant]);
  const [, , [epoch, sequence, atMs, spent]] = reply as ['OK', number, ReceiptReply];
  return { epoch, sequence, atMs, spent: Number(spent) };
}

export async function approve(
  shards: Shards,
  approval: Approval,
): Promise<Receipt & { expiresAtMs: number }> {
  const { tenant, id, answer, expiresAtMs: untilMs } = approval;
  const args = [commandMemoryMs(shards.replayMemoryMs), id, grantName(approval), answer, untilMs];
  const reply = await shards.ask(tenant, 'approve', args);
  if (reply[0] === 'UNKNOWN') throw approvalNotFound();
  if (reply[0] === 'DECIDED') {
    const [, verdict, code] = reply as ['DECIDED', string, string];
    throw approvalNotWaiting({ verdict, code });
  }
  await shards.replicated([tenant]);
  const [, , [epoch, sequence, atMs, expiresAtMs]] = reply as ['OK', number, ReceiptReply];
  return { epoch, sequence, atMs, expiresAtMs: Number(expiresAtMs) };
}

/** `value`: the new balance, or the time of expiry. */
type ReceiptReply = [epoch: string, sequence: number, atMs: number, value: number | string];
