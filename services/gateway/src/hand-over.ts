/**
 * The last look before an ALLOW leaves the house. Between the decision and its answer somebody may have pulled the kill
 * switch; whoever gets an ALLOW acts on it at once, so the flag is read again here. The record on the log stays what
 * it is: only the answer says BLOCK. It goes on to say so after a revive, as whoever asks again may have been told BLOCK.
 */
import type { KillStatus } from '@mandate/ledger';
import { type Logger, MandateError } from '@mandate/runtime';
import { agentsAboveIn, type Decision } from '@mandate/schemas';
import type { Gateway } from './gateway.ts';

/** Of a decision what tells whether it may be handed over. */
type Judged = Pick<Decision, 'agentId' | 'verdict' | 'decidedAt' | 'reservation'>;

/**
 * In the order given: null, or why it is withheld: the log says ALLOW, the kill switch says no. Throws LEDGER_UNAVAILABLE when
 * a flag cannot be read: then no ALLOW is handed over.
 */
export async function withheldReasons(
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

/** By who stood where: below others, it is stopped with their families. Where the gateway has no ledger it cannot look, and says nothing. */
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
            above: agentsAboveIn(decision),
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
  return [decision.agentId, ...agentsAboveIn(decision)].join(' ');
}

/** In words; null where nobody killed the agent behind its ALLOW. Of a kill that was released nobody knows the reason any more. */
function killedSince({ decidedAt }: Judged, { killed, revivedAtMs }: KillStatus): string | null {
  if (killed !== null) {
    const family = `everything below ${killed.agentId ?? 'it'}`;
    const whom = { agent: 'this agent', family, tenant: 'its tenant', all: 'every agent' }[killed.scope];
    return `allowed, but ${whom} was killed after that: ${killed.reason}`;
  }
  if (revivedAtMs === null || Date.parse(decidedAt) >= revivedAtMs) return null;
  return 'allowed, but this agent was killed after that, and revived since: what was allowed before may not begin';
}

/** As its caller gets it. */
export function withheldFor(reason: string, decision: Decision): Decision {
  return {
    ...decision,
    verdict: 'BLOCK',
    code: 'AGENT_KILLED',
    reason,
    remedy:
      'Do not start it. If it never ran, have a key with the scope `release` report `cancelled`, which gives its charge back. After a revive, ask under a new id.',
    hard: true,
    retryAfterMs: null,
  };
}

function flagUnknown(cause: unknown, log: Logger): MandateError {
  log.error({ err: cause }, 'an ALLOW is held back, for the kill flag cannot be read');
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
