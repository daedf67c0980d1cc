/** Who calls a model: the agent, the person for whom it acts, and its run. Headers of the request name them. */
import type { IncomingHttpHeaders } from 'node:http';
import { type ApiKeyRecord, CAPS, id } from '@mandate/schemas';
import type { CallOptions } from '@mandate/sdk/plane';
import { HttpProblem, speaksFor } from '@mandate/server';

export type NamedAgent = {
  agentId: string;
  options: Pick<CallOptions, 'principal' | 'context' | 'idempotencyKey' | 'estimatedCostMicros'>;
};

/**
 * A key that names exactly one agent needs no header.
 *
 * @throws HttpProblem 400 AGENT_NOT_NAMED or VALIDATION_FAILED, 403 AGENT_NOT_ALLOWED
 */
export function agentOfRequest(headers: IncomingHttpHeaders, key: ApiKeyRecord): NamedAgent {
  const agentId = named(headers, 'x-mandate-agent') ?? onlyAgentOf(key);
  if (agentId === null) {
    throw new HttpProblem(
      400,
      'AGENT_NOT_NAMED',
      'the request names no agent, and its key may speak for several',
      {
        remedy: 'Send the header x-mandate-agent, or use a key that names exactly one agent.',
      },
    );
  }
  if (!speaksFor(key, agentId)) {
    throw new HttpProblem(403, 'AGENT_NOT_ALLOWED', `this API key may not act for the agent ${agentId}`, {
      remedy: 'Use a key that names this agent, or another agent.',
    });
  }
  const principal = named(headers, 'x-mandate-principal');
  const run = named(headers, 'x-mandate-run');
  const idempotencyKey = named(headers, 'idempotency-key');
  return {
    agentId,
    options: {
      ...(principal !== null && { principal: { id: principal } }),
      ...(run !== null && { context: { run } }),
      ...(idempotencyKey !== null && { idempotencyKey }),
    },
  };
}

function onlyAgentOf({ agents: [first, ...others] }: ApiKeyRecord): string | null {
  return first === undefined || others.length > 0 || first.includes('*') ? null : first;
}

/** Returns the value of a header. Null if it is absent. */
function named(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  const read = id.safeParse(typeof value === 'string' ? decoded(value) : value);
  if (read.success) return read.data;
  throw new HttpProblem(400, 'VALIDATION_FAILED', `the header ${name} is not usable`, {
    remedy: `Send 1 to ${CAPS.idUnits} visible characters. Percent-encode all that are not ASCII.`,
  });
}

/** A header can hold only ASCII, so names with other characters come percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
