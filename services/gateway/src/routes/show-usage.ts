/**
 * GET /v1/agents/:id/usage: the spend of an agent, and its remaining budget. The key of an agent may read its own usage.
 * The total and the remaining budget come from the ledger, so they are exact. The parts and the number of calls come
 * from the audit, which gets each record a little later. The route returns them only if the audit agrees with the
 * ledger.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { leastRemaining } from '@mandate/policy';
import { count, described, TOTAL_BUDGET } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type AuditedUsage, type Gateway, ledgerOf } from '../gateway.ts';
import { maySee, mustSpeakFor } from '../own-agents.ts';
import { agentParams } from './command-shapes.ts';

/** How long to wait before the audit is asked again. Each wait is twice as long as the one before. */
const FIRST_WAIT_MS = 50;
/** The longest time that a caller may wait. */
const MOST_WAIT_MS = 5_000;

const ofAudit = (what: string) =>
  `${what} null: there is no audit, it did not answer in time, or it did not agree with the ledger in time.`;

const usage = z.object({
  agentId: described(z.string(), 'The id of the agent.', 'airline-007'),
  totalMicros: described(
    z.int(),
    'What the agent has spent in its lifetime, with its reservations, in micro-dollars.',
    340_000,
  ),
  llmMicros: described(z.int().nullable(), ofAudit('The part of LLM calls.'), 40_000),
  toolMicros: described(z.int().nullable(), ofAudit('The part of tool calls.'), 300_000),
  calls: described(count.nullable(), ofAudit('How many calls of the agent were allowed.'), 12),
  remainingMicros: described(
    z.int().nullable(),
    'The least that any budget has left for a tool call without a principal, in micro-dollars. Negative: overdrawn. null: no budget limits the agent.',
    9_660_000,
  ),
});

export function showUsage(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/agents/:id/usage',
    {
      config: { scope: ['operate', 'audit', 'publish'] },
      schema: {
        tags: ['agents'],
        summary: 'Show what an agent has spent, and what it may still spend',
        description:
          'The key of an agent may read the usage of this agent. An unknown agent has used nothing.',
        params: agentParams,
        querystring: z.strictObject({
          waitMs: described(
            z.coerce.number().int().min(0).max(MOST_WAIT_MS).default(0),
            'How long to wait until the audit agrees with the ledger, in milliseconds. Default: 0.',
            2_000,
          ),
        }),
        response: { 200: usage },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const agentId = request.params.id;
      if (!maySee(key, agentId)) mustSpeakFor(key, { agentId });
      const untilMs = performance.now() + request.query.waitMs;
      for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
        const audited = (await gateway.findUsage?.(key.tenant, agentId, request.signal)) ?? null;
        const ofLedger = await usageInLedger(gateway, key.tenant, agentId);
        if (audited !== null && sumOf(audited) === ofLedger.totalMicros) {
          const { calls, llmMicros, toolMicros } = audited;
          return { agentId, ...ofLedger, llmMicros, toolMicros, calls };
        }
        const leftMs = untilMs - performance.now();
        if (audited === null || leftMs <= 0 || request.signal.aborted) {
          return { agentId, ...ofLedger, llmMicros: null, toolMicros: null, calls: null };
        }
        await sleep(Math.min(waitMs, leftMs));
      }
    },
  );
}

function sumOf({ llmMicros, toolMicros, adjustedMicros }: AuditedUsage): number {
  return llmMicros + toolMicros + adjustedMicros;
}

/** Asks only for the counters that limit the agent, because a tenant may have very many counters. */
async function usageInLedger(
  gateway: Gateway,
  tenant: string,
  agentId: string,
): Promise<{ totalMicros: number; remainingMicros: number | null }> {
  const total = { scope: 'agent', subject: agentId, id: TOTAL_BUDGET, windowMs: null } as const;
  const budgets = gateway.budgetsOf(tenant, agentId);
  const [totalMicros = 0, ...spent] = await ledgerOf(gateway).spent(tenant, [total, ...budgets]);
  return { totalMicros, remainingMicros: leastRemaining(budgets, spent) };
}
