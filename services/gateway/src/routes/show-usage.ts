/**
 * GET /v1/agents/:id/usage: what an agent has spent, and what it may still spend. The key of an agent may read its own
 * usage. The total comes from the ledger, so it is exact. The rest comes from the audit, which is a little behind. It is
 * only returned if the audit agrees with the ledger.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { count, described, TOTAL_BUDGET } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type AuditedUsage, type Gateway, ledgerOf } from '../gateway.ts';
import { maySee, mustSpeakFor } from '../own-agents.ts';
import { agentParams } from './command-shapes.ts';

/** How often the audit is asked whether it agrees with the ledger by now. */
const LOOK_EVERY_MS = 50;
const MOST_WAIT_MS = 5_000;

const ofAudit = (what: string) =>
  `${what} null: there is no audit, or it did not agree with the ledger in time.`;

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
    'The least that any budget of a tool call has left, for a call without a principal. Negative: overdrawn. null: no budget limits the agent.',
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
            'How long to wait until the audit agrees with the ledger, in milliseconds. Absent: 0.',
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
      for (;;) {
        const audited = (await gateway.findUsage?.(key.tenant, agentId)) ?? null;
        const ofLedger = await usageInLedger(gateway, key.tenant, agentId);
        const isExact = audited !== null && sumOf(audited) === ofLedger.totalMicros;
        if (isExact) {
          const { calls, llmMicros, toolMicros } = audited;
          return { agentId, ...ofLedger, llmMicros, toolMicros, calls };
        }
        if (audited === null || performance.now() >= untilMs || request.signal.aborted) {
          return { agentId, ...ofLedger, llmMicros: null, toolMicros: null, calls: null };
        }
        await sleep(LOOK_EVERY_MS);
      }
    },
  );
}

function sumOf({ llmMicros, toolMicros, adjustedMicros }: AuditedUsage): number {
  return llmMicros + toolMicros + adjustedMicros;
}

async function usageInLedger(
  gateway: Gateway,
  tenant: string,
  agentId: string,
): Promise<{ totalMicros: number; remainingMicros: number | null }> {
  const balances = await ledgerOf(gateway).balances(tenant);
  const spentOf = (scope: string, subject: string, id: string, windowMs: number | null) =>
    balances.find(
      ({ budget }) =>
        budget.scope === scope &&
        budget.subject === subject &&
        budget.id === id &&
        budget.windowMs === windowMs,
    )?.spentMicros ?? 0;
  const left = gateway
    .budgetsOf(tenant, agentId)
    .map(
      ({ scope, subject, id, windowMs, maxMicros }) =>
        (maxMicros ?? 0) - spentOf(scope, subject, id, windowMs),
    );
  return {
    totalMicros: spentOf('agent', agentId, TOTAL_BUDGET, null),
    remainingMicros: left.length === 0 ? null : Math.min(...left),
  };
}
