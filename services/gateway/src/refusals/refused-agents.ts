/**
 * Makes an agent wait if it is refused too often. The agent waits before its actions reach the log, because the log
 * keeps a record of each refusal, and an agent in a loop would cause very many. So an agent may be refused only a
 * limited number of times, and must then wait. All gateways read the same decisions, so their counts are equal.
 *
 * A flood of one agent does not delay agents without recent refusals. For actions under way, the answer is not known
 * yet. If an agent was refused many times in a row, its actions under way count as refused.
 */

import type { Clock } from '@mandate/runtime';
import type { QuotasInForce } from '@mandate/schemas';
import { Bucket } from '@mandate/server';

export type Held = {
  readonly agentId: string;
  /** The holder of the exhausted quota: the agent or the tenant. */
  readonly of: 'agent' | 'tenant';
  /** How long the agent must wait, in milliseconds. Infinity: waiting does not help. */
  readonly waitMs: number;
};

/** The number of records of each agent in a request. */
export type Counts = ReadonlyMap<string, number>;

type Agent = {
  readonly bucket: Bucket;
  refusedInARow: number;
  allowedAtMs: number;
  /** How many records of the agent this gateway has sent that have no answer yet. */
  underWay: number;
  sentAtMs: number;
};

type Tenant = { readonly bucket: Bucket; readonly agents: Map<string, Agent>; sweepAt: number };

/** How many refusals in a row, without an ALLOW, make actions under way count as refused. */
const MANY_IN_A_ROW = 20;
/** For this time after an ALLOW, the limit of the tenant does not apply to an agent without recent refusals. */
const GOOD_FOR_MS = 600_000;
/** After this time, an action without an answer is no longer under way. */
const ANSWERED_WITHIN_MS = 60_000;
const SWEEP_AFTER = 5_000;
/** Above this number of agents, even agents that were allowed something are forgotten. */
const MOST_AGENTS = 50_000;

export class RefusedAgents {
  readonly #quotas: (tenant: string) => QuotasInForce['refusals'];
  readonly #isKnown: (tenant: string, agentId: string) => boolean;
  readonly #clock: Clock;
  readonly #tenants = new Map<string, Tenant>();

  /** @param options.isKnown returns whether the register has the agent */
  constructor(options: {
    quotas: (tenant: string) => QuotasInForce['refusals'];
    isKnown: (tenant: string, agentId: string) => boolean;
    clock: Clock;
  }) {
    this.#quotas = options.quotas;
    this.#isKnown = options.isKnown;
    this.#clock = options.clock;
  }

  /** Returns how many agents are counted. */
  get size(): number {
    return [...this.#tenants.values()].reduce((sum, { agents }) => sum + agents.size, 0);
  }

  /** True if an action of the agent was decided recently, as far as this gateway has read the log. */
  wasDecided(tenant: string, agentId: string): boolean {
    return this.#tenants.get(tenant)?.agents.has(agentId) ?? false;
  }

  /** Returns the agent that must wait longest. Null if no agent must wait. */
  held(tenant: string, counts: Counts): Held | null {
    const counted = this.#tenants.get(tenant);
    if (counted === undefined) return null;
    const nowMs = this.#clock();
    let longest: Held | null = null;
    for (const [agentId, count] of counts) {
      const held = this.#heldAgent(counted, tenant, { agentId, count }, nowMs);
      if (held !== null && held.waitMs > (longest?.waitMs ?? 0)) longest = held;
    }
    return longest;
  }

  /** Call this when actions were published. `counts` has the number of actions of each agent. */
  sent(tenant: string, counts: Counts): void {
    const counted = this.#tenants.get(tenant);
    if (counted === undefined) return;
    const nowMs = this.#clock();
    for (const [agentId, count] of counts) {
      const agent = counted.agents.get(agentId);
      if (agent === undefined) continue;
      agent.underWay = underWay(agent, nowMs) + count;
      agent.sentAtMs = nowMs;
    }
  }

  allowed(tenant: string, agentId: string): void {
    const nowMs = this.#clock();
    const agent = this.#answered(this.#tenant(tenant), tenant, agentId, nowMs);
    agent.refusedInARow = 0;
    agent.allowedAtMs = nowMs;
  }

  refused(tenant: string, agentId: string): void {
    const nowMs = this.#clock();
    const counted = this.#tenant(tenant);
    const agent = this.#answered(counted, tenant, agentId, nowMs);
    agent.refusedInARow += 1;
    const quotas = this.#quotas(tenant);
    agent.bucket.takeWhatThereIs(1, quotas.agent, nowMs);
    counted.bucket.takeWhatThereIs(1, quotas.tenant, nowMs);
  }

  #heldAgent(
    counted: Tenant,
    tenant: string,
    { agentId, count }: { agentId: string; count: number },
    nowMs: number,
  ): Held | null {
    const agent = counted.agents.get(agentId);
    const quotas = this.#quotas(tenant);
    if (agent !== undefined) {
      const isFlooding = agent.refusedInARow >= MANY_IN_A_ROW;
      const units = isFlooding ? count + underWay(agent, nowMs) : 1;
      const waitMs = agent.bucket.waitMs(units, quotas.agent, nowMs);
      if (waitMs > 0) return { agentId, of: 'agent', waitMs };
    }
    if (this.#isGood(agent, tenant, agentId, nowMs)) return null;
    const waitMs = counted.bucket.waitMs(count, quotas.tenant, nowMs);
    return waitMs > 0 ? { agentId, of: 'tenant', waitMs } : null;
  }

  /**
   * True if the tenant's quota does not apply to the agent. The agent must have no recent refusal. It must also be
   * registered, or have been allowed something recently.
   */
  #isGood(agent: Agent | undefined, tenant: string, agentId: string, nowMs: number): boolean {
    if (agent === undefined) return this.#isKnown(tenant, agentId);
    if (agent.refusedInARow > 0 && !agent.bucket.isUntouched(this.#quotas(tenant).agent, nowMs)) return false;
    return nowMs - agent.allowedAtMs < GOOD_FOR_MS || this.#isKnown(tenant, agentId);
  }

  #tenant(tenant: string): Tenant {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const made = { bucket: new Bucket(), agents: new Map(), sweepAt: SWEEP_AFTER };
    this.#tenants.set(tenant, made);
    return made;
  }

  #answered(counted: Tenant, tenant: string, agentId: string, nowMs: number): Agent {
    const known = counted.agents.get(agentId);
    if (known !== undefined) {
      known.underWay = Math.max(0, underWay(known, nowMs) - 1);
      return known;
    }
    if (counted.agents.size >= counted.sweepAt) this.#sweep(counted, tenant, nowMs);
    const never = Number.NEGATIVE_INFINITY;
    const made = { bucket: new Bucket(), refusedInARow: 0, allowedAtMs: never, underWay: 0, sentAtMs: never };
    counted.agents.set(agentId, made);
    return made;
  }

  #sweep(counted: Tenant, tenant: string, nowMs: number): void {
    const quota = this.#quotas(tenant).agent;
    const { agents } = counted;
    for (const [agentId, agent] of agents) {
      const isFull = agent.bucket.isUntouched(quota, nowMs);
      const isOver = agents.size >= MOST_AGENTS || nowMs - agent.allowedAtMs >= GOOD_FOR_MS;
      if (isFull && isOver && underWay(agent, nowMs) === 0) agents.delete(agentId);
    }
    for (const agentId of agents.keys()) {
      if (agents.size < MOST_AGENTS) break;
      agents.delete(agentId);
    }
    counted.sweepAt = agents.size + SWEEP_AFTER;
  }
}

function underWay({ underWay: count, sentAtMs }: Agent, nowMs: number): number {
  return nowMs - sentAtMs < ANSWERED_WITHIN_MS ? count : 0;
}
