/** GET /v1/ledger/summary: a tenant in a few numbers, from the ledger. */
import type { Ledger } from '@mandate/ledger';
import { outsideRequests } from '@mandate/runtime';
import { count, described, TOTAL_BUDGET, time, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';

/** How long the sums of a tenant are kept. The ledger reads every balance of the tenant for them. */
const KEPT_MS = 2_000;
/** The maximum number of tenants with kept sums. */
const MOST_TENANTS = 1_000;

const summary = z.object({
  asOf: described(time, 'When the ledger was read. At most two seconds ago, or as long as the read takes.'),
  ageMs: described(count, 'How old the numbers are, in milliseconds.', 340),
  agents: described(
    count,
    'How many agents are known: they spent, have open actions, are registered, or are named by the mandates file.',
    214,
  ),
  openActions: described(count, 'How many allowed actions may still run.', 20),
  reservedMicros: described(count, 'What these actions reserved, in micro-dollars.', 100_000),
  spentMicros: described(
    z.int(),
    'What the agents without a parent have spent in their lifetime, with reservations, in micro-dollars. The spending ' +
      'of a sub-agent is part of the spending of its ancestors, so it counts once.',
    340_000,
  ),
  waiting: described(count, 'How many deferred actions wait for a person: nobody has answered.', 3),
  kills: described(count, 'How many kill switches are on, with the switch of everything.', 1),
});

/** The body of the answer. */
export type LedgerSummary = z.output<typeof summary>;

type Sums = Omit<LedgerSummary, 'ageMs' | 'asOf'> & { readAtMs: number };

export function showSummary(server: HttpServer, gateway: Gateway): void {
  const kept = new Map<string, { sums: Promise<Sums>; untilMs: number }>();

  /** Requests that come together share one read. A read that fails is not kept. */
  function sumsOf(tenant: string): Promise<Sums> {
    const nowMs = gateway.clock();
    const known = kept.get(tenant);
    if (known !== undefined && known.untilMs > nowMs) return known.sums;
    const ledger = ledgerOf(gateway);
    const sums = outsideRequests(() => readSums(gateway, ledger, tenant));
    kept.delete(tenant);
    kept.set(tenant, { sums, untilMs: nowMs + KEPT_MS });
    sums.catch(() => kept.delete(tenant));
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_TENANTS) break;
      kept.delete(oldest);
    }
    return sums;
  }

  server.get(
    '/v1/ledger/summary',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['ledger'],
        summary: 'Count agents, open actions, waiting approvals, kills, and money of the tenant',
        description:
          'The numbers are at most two seconds old, and `ageMs` says how old. `GET /v1/kills`, `GET /v1/approvals` and ' +
          '`GET /v1/ledger/open` list what is counted here. The read is recorded before the answer is sent.',
        querystring: z.strictObject({}),
        response: { 200: summary },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const { readAtMs, ...sums } = await sumsOf(callerOf(request).tenant);
      const ageMs = Math.max(0, gateway.clock() - readAtMs);
      return { asOf: wireTime(readAtMs), ageMs, ...sums };
    },
  );
}

async function readSums(
  { ancestryOf, register, clock }: Gateway,
  ledger: Ledger,
  tenant: string,
): Promise<Sums> {
  const readAtMs = clock();
  const [balances, open, kills, waiting] = await Promise.all([
    ledger.balances(tenant),
    ledger.open(tenant),
    ledger.killed(tenant),
    ledger.waiting(tenant),
  ]);
  const agents = new Set(register.names(tenant));
  let reservedMicros = 0;
  for (const { agentId, reservedMicros: its } of open) {
    agents.add(agentId);
    reservedMicros += its;
  }
  let spentMicros = 0;
  for (const { budget, spent } of balances) {
    const { scope, subject, id, windowMs, unit } = budget;
    if (scope !== 'agent' || id !== TOTAL_BUDGET || windowMs !== null || unit !== undefined) continue;
    agents.add(subject);
    if (ancestryOf(tenant, subject).ancestors.length === 0) spentMicros += spent;
  }
  const sums = { agents: agents.size, openActions: open.length, kills: kills.length, waiting };
  return { readAtMs, ...sums, reservedMicros, spentMicros };
}
