/**
 * The last look before an ALLOW leaves the house. Between the decision and its answer somebody may have pulled the kill
 * switch; whoever gets an ALLOW acts on it at once, so the flag is read again here. The record on the log stays what
 * it is: only the answer says BLOCK.
 */
import { type Logger, MandateError } from '@mandate/runtime';
import type { Decision, KillFact } from '@mandate/schemas';
import type { Gateway } from './gateway.ts';

/** A decision as the caller gets it. `withheld`: the log says ALLOW under this id, the kill switch says no. */
export type HandedOver = { decision: Decision | null; withheld: boolean };

/** In the order given. Throws LEDGER_UNAVAILABLE when a flag cannot be read: then no ALLOW is handed over. */
export async function handOver(
  gateway: Pick<Gateway, 'ledger' | 'log' | 'measures'>,
  tenant: string,
  decisions: readonly (Decision | null)[],
): Promise<readonly HandedOver[]> {
  const allowed = decisions.flatMap((decision) => (decision?.verdict === 'ALLOW' ? [decision.agentId] : []));
  const flags = await killFlags(gateway, tenant, new Set(allowed));
  return decisions.map((decision) => {
    const flag = decision?.verdict === 'ALLOW' ? flags.get(decision.agentId) : undefined;
    if (decision === null || flag === undefined) return { decision, withheld: false };
    gateway.measures.withheld.inc();
    return { decision: withheldFor(flag, decision), withheld: true };
  });
}

/** The flags that stop these agents. Where the gateway has no ledger it cannot look, and says nothing. */
async function killFlags(
  { ledger, log }: Pick<Gateway, 'ledger' | 'log'>,
  tenant: string,
  agentIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KillFact>> {
  const flags = new Map<string, KillFact>();
  if (ledger === null) return flags;
  try {
    await Promise.all(
      [...agentIds].map(async (agentId) => {
        const { killed } = await ledger.killStatus(tenant, agentId);
        if (killed !== null) flags.set(agentId, killed);
      }),
    );
  } catch (error) {
    throw flagUnknown(error, log);
  }
  return flags;
}

function withheldFor({ scope, reason }: KillFact, decision: Decision): Decision {
  const whom = { agent: 'this agent', tenant: 'its tenant', all: 'every agent' }[scope];
  return {
    ...decision,
    verdict: 'BLOCK',
    code: 'AGENT_KILLED',
    reason: `allowed, but ${whom} was killed before the answer was handed over: ${reason}`,
    remedy: 'Do not run it. Report the outcome `cancelled`, which gives its charge back.',
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
