/**
 * Carries out the kills of a request. A kill that stops something known to this process is never refused. Other kills
 * have no effect, so the number of their records is limited (docs/adr/0060-a-repeated-kill-writes-no-record.md):
 *
 * - A kill with the key, target and reason of the last kill is the same command, until the flag changes. It writes no
 * record.
 * - Any other kill of a target that is already killed counts as a change of its key. If no changes are left, the kill
 * is refused.
 * - A kill of an unknown agent counts as a change too. If no changes are left, the kill is refused if the agent has
 * no open actions.
 */
import type { Command, Ledger } from '@mandate/ledger';
import type { KillTarget } from '@mandate/schemas';
import { HttpProblem, type HttpRequest, idempotencyKeyOf } from '@mandate/server';
import { type Gateway, ledgerOf } from '../gateway.ts';
import type { LastKill } from './last-kills.ts';
import { type Killed, kill } from './pull-kill-switch.ts';

const ONE = { records: 1 };

/**
 * Throws the errors of `kill`. Throws 429 TOO_MANY_CHANGES if the kill would stop nothing and its key has no changes
 * left.
 */
export async function boundedKill(
  gateway: Gateway,
  request: HttpRequest,
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
      spend(request, 'this kill would stop nothing more: its target is killed already');
    }
  } else if (flag && !isKnown(gateway, target) && !request.trySpend('changes', ONE)) {
    if (!(await hasOpen(gateway, target)))
      spend(
        request,
        'this process knows nothing that the kill would stop: the agent is not registered, and no action of it was decided lately',
      );
  }
  return kill(gateway, target, command);
}

/** Returns the flag, or null if the ledger cannot answer. The kill is then carried out, not refused. */
function flagIfKnown(
  ledger: Ledger,
  target: KillTarget,
): Promise<Awaited<ReturnType<Ledger['flag']>> | null> {
  return ledger.flag(target).catch(() => null);
}

/** True if the kill is the same command as the last one. With an Idempotency-Key, only the ids are compared. */
function isSame({ command: last }: LastKill, command: Command, request: HttpRequest): boolean {
  if (last.id === command.id) return true;
  return idempotencyKeyOf(request) === null && last.by === command.by && last.reason === command.reason;
}

/** Returns null if a revive came after the flag was read and before the kill. Throws any other error. */
function nullIfRevived(error: unknown): null {
  if (error instanceof HttpProblem && error.code === 'REVIVED_SINCE') return null;
  throw error;
}

function isKnown({ register, refused }: Gateway, target: KillTarget): boolean {
  if (target.scope === 'all' || target.scope === 'tenant') return true;
  const { tenant, agentId } = target;
  return register.statusOf(tenant, agentId) !== null || refused.wasDecided(tenant, agentId);
}

/** This is called last, because it may take long. If the ledger cannot answer, the kill is not refused. */
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

function spend(request: HttpRequest, why: string): void {
  try {
    request.spend('changes', ONE);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { status, code, message, headers, extension } = error;
    throw new HttpProblem(status, code, `${message}; ${why}`, {
      remedy: 'To stop an agent that is not known yet, kill the tenant, or register the agent first.',
      headers,
      extension,
      cause: error,
    });
  }
}
