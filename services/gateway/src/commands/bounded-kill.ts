/**
 * The kills of a request. A kill is never refused if it stops something that is known to this process. Other kills are records
 * without an effect, so they are bounded (docs/adr/0060-a-repeated-kill-is-no-record.md):
 *
 * - A kill with the key, target and reason of the last one is that same command, until the flag changes. It writes nothing.
 * - Any other kill of a target that is killed already counts as a change of its key. So does a kill of an agent of which
 *   nothing is known. It is refused only if the key has no changes left and nothing of the agent is open.
 */
import type { Command, Ledger } from '@mandate/ledger';
import { HttpProblem, idempotencyKeyOf } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import type { FastifyRequest } from 'fastify';
import { type Gateway, ledgerOf } from '../gateway.ts';
import type { LastKill } from './last-kills.ts';
import { type Killed, kill } from './pull-kill-switch.ts';

const ONE = { records: 1 };

/** Throws what `kill` throws, and 429 TOO_MANY_CHANGES if the kill would stop nothing and its key has no changes left. */
export async function boundedKill(
  gateway: Gateway,
  request: FastifyRequest,
  target: KillTarget,
  command: Command,
): Promise<Killed> {
  const flag = await flagIfKnown(ledgerOf(gateway), target);
  if (flag?.killed) {
    const last = gateway.lastKills.get(target);
    if (last?.revision === flag.revision && isSame(last, command, request)) {
      const again = await kill(gateway, target, last.command).catch(nullIfRevived);
      if (again !== null) return again;
    } else {
      spend(request, 'it is killed already, and that kill is in force');
    }
  } else if (flag && !isKnown(gateway, target) && !request.trySpend('changes', ONE)) {
    if (!(await hasOpen(gateway, target)))
      spend(request, 'no such agent is registered, and none has asked for anything lately');
  }
  return kill(gateway, target, command);
}

/** A ledger that cannot tell is one more reason to kill at once. */
function flagIfKnown(
  ledger: Ledger,
  target: KillTarget,
): Promise<Awaited<ReturnType<Ledger['flag']>> | null> {
  return ledger.flag(target).catch(() => null);
}

/** A request with an Idempotency-Key names its command itself. */
function isSame({ command: last }: LastKill, command: Command, request: FastifyRequest): boolean {
  if (last.id === command.id) return true;
  return idempotencyKeyOf(request) === null && last.by === command.by && last.reason === command.reason;
}

/** A revive came between the look at the flag and the kill. */
function nullIfRevived(error: unknown): null {
  if (error instanceof HttpProblem && error.code === 'REVIVED_SINCE') return null;
  throw error;
}

function isKnown({ register, refused }: Gateway, target: KillTarget): boolean {
  if (target.scope === 'all' || target.scope === 'tenant') return true;
  const { tenant, agentId } = target;
  return register.statusOf(tenant, agentId) !== null || refused.wasDecided(tenant, agentId);
}

/** Asked last, since it may take long. A ledger that cannot tell is no reason to refuse a kill. */
async function hasOpen(gateway: Gateway, target: KillTarget): Promise<boolean> {
  if (target.scope === 'all' || target.scope === 'tenant') return true;
  const { tenant, agentId } = target;
  return ledgerOf(gateway)
    .open(tenant, agentId)
    .then(
      (open) => open.length > 0,
      () => true,
    );
}

function spend(request: FastifyRequest, why: string): void {
  try {
    request.spend('changes', ONE);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { status, code, message, headers, extension } = error;
    throw new HttpProblem(status, code, `${message}; this kill would stop nothing more: ${why}`, {
      remedy: 'To stop agents that are not known yet, kill the tenant, or register them first.',
      headers,
      extension,
      cause: error,
    });
  }
}
