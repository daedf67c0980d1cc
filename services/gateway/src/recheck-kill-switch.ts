/**
 * Reads the kill switch again before a caller gets an ALLOW. The agent may have been killed after the decision, and
 * the caller acts on an ALLOW at once. The record on the log does not change; only the answer says BLOCK. The answer
 * says BLOCK even after a revive, because an earlier answer may have said so.
 */
import type { KillStatus } from '@mandate/ledger';
import { type Logger, MandateError } from '@mandate/runtime';
import { ancestorsIn, type Decision } from '@mandate/schemas';
import type { Gateway } from './gateway.ts';

/** The fields of a decision that show whether the caller may get it. */
type Judged = Pick<Decision, 'agentId' | 'verdict' | 'decidedAt' | 'reservation'>;

/**
 * Returns for each decision, in order, why its ALLOW is withheld, or null. Throws LEDGER_UNAVAILABLE if a kill flag
 * cannot be read. The caller then gets no ALLOW.
 */
export async function recheckKillSwitch(
  gateway: Pick<Gateway, 'ledger' | 'log' | 'measures'>,
  tenant: string,
  decisions: readonly (Judged | null)[],
): Promise<readonly (string | null)[]> {
  const allowed = decisions.flatMap((decision) => (decision?.verdict === 'ALLOW' ? [decision] : []));
  const statuses = await killStatuses(gateway, tenant, allowed);
  return decisions.map((decision) => {
    const status = decision?.verdict === 'ALLOW' ? statuses.get(standingOf(decision)) : undefined;
    const reason = (decision && status && killedSince(decision, status)) ?? null;
    if (reason !== null) gateway.measures.withheld.inc();
    return reason;
  });
}

/**
 * Returns kill statuses. The key of each has the names of an agent and of its ancestors, because a kill of an
 * ancestor's subtree stops the agent too. Without a ledger the map is empty.
 */
async function killStatuses(
  { ledger, log }: Pick<Gateway, 'ledger' | 'log'>,
  tenant: string,
  decisions: readonly Judged[],
): Promise<ReadonlyMap<string, KillStatus>> {
  const statuses = new Map<string, KillStatus>();
  if (ledger === null) return statuses;
  try {
    await Promise.all(
      [...new Map(decisions.map((decision) => [standingOf(decision), decision]))].map(
        async ([standing, decision]) => {
          const status = await ledger.killStatus(tenant, decision.agentId, {
            ancestors: ancestorsIn(decision),
          });
          statuses.set(standing, status);
        },
      ),
    );
  } catch (error) {
    throw flagUnknown(error, log);
  }
  return statuses;
}

function standingOf(decision: Judged): string {
  return [decision.agentId, ...ancestorsIn(decision)].join(' ');
}

/**
 * Returns a text that says that the agent was killed after its ALLOW. Null if it was not killed. After a revive, the
 * text cannot contain the reason of the kill.
 */
function killedSince({ decidedAt }: Judged, { killed, revivedAtMs }: KillStatus): string | null {
  if (killed !== null) {
    const subtree = `everything below ${killed.agentId ?? 'it'}`;
    const target = { agent: 'this agent', subtree, tenant: 'its tenant', all: 'every agent' }[killed.scope];
    return `allowed, but ${target} was killed after that: ${killed.reason}`;
  }
  if (revivedAtMs === null || Date.parse(decidedAt) >= revivedAtMs) return null;
  return 'allowed, but this agent was killed after that, and revived since: what was allowed before may not begin';
}

/** Returns the decision that the caller gets instead of the ALLOW. */
export function withheldDecision(reason: string, decision: Decision): Decision {
  return {
    ...decision,
    verdict: 'BLOCK',
    code: 'AGENT_KILLED',
    reason,
    remedy:
      'Do not start it. If it never ran, have a key with the scope `release` report `cancelled`, which gives its charge back. After a revive, ask under a new id.',
    final: true,
    retryAfterMs: null,
  };
}

function flagUnknown(cause: unknown, log: Logger): MandateError {
  log.error({ err: cause }, 'an ALLOW is held back, because the kill flag cannot be read');
  return new MandateError(
    'LEDGER_UNAVAILABLE',
    'it is decided, but whether the agent is killed cannot be read',
    {
      remedy: 'Do not run it yet: ask for the decision again with GET /v1/actions/{id}.',
      retryable: true,
      cause,
    },
  );
}
