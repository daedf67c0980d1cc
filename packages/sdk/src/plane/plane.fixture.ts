/** Starts a real plane in its own process, and registers agents with policies of its control service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PlaneProcess, spawnMandate, startPlane } from '@mandate/testing';
import { vi } from 'vitest';
import { Mandate } from '../index.ts';
import type { MandateOptions } from '../mandate.ts';
import type { Cost, MandateDocument } from '../types.ts';

export type TestPlane = {
  url: string;
  process: PlaneProcess;
  operatorKey: string;
  /** Registers a new agent under this mandate. Returns the agent and its own key. */
  agentUnder(document: MandateDocument): Promise<{ agentId: string; apiKey: string }>;
  /** Registers an agent that has no API key. */
  teamMember(document: MandateDocument, agent: { id: string; parent?: string }): Promise<void>;
  /** Issues a key of several agents, as the owner of the plane does. */
  keyOf(agents: string): Promise<string>;
  call<T>(method: string, path: string, body?: object): Promise<T>;
  stop(): Promise<void>;
};

/** @param env further settings of the plane, such as its servers */
export async function startTestPlane(env: Readonly<Record<string, string>> = {}): Promise<TestPlane> {
  const data = mkdtempSync(join(tmpdir(), 'mandate-test-'));
  const process = await startPlane({ data, env: { PLANE_REQUESTS_PER_KEY_PER_SECOND: '100000', ...env } });
  const { url } = process;
  const operatorKey = process.keys.operator ?? '';
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer as T;
  };
  // An agent of a test is refused more often than an agent should be.
  const refusalsPerAgent = { perSecond: 10_000, burst: 10_000 };
  await call('PUT', '/v1/tenants/default', {
    version: 1,
    id: 'default',
    quotas: { refusalsPerAgent, refusals: refusalsPerAgent },
  });
  let agents = 0;
  // Agents of one mandate share a policy, and their ids begin in the same way.
  const prefixes = new Map<string, Promise<string>>();
  // If two rules change at the same time, the control service refuses one of the changes.
  let ruling: Promise<unknown> = Promise.resolve();
  const rule = (document: MandateDocument, policy: string, agent: string): Promise<unknown> => {
    const ruled = ruling.then(async () => {
      await call('POST', '/v1/policies', { version: 1, id: policy, ...document });
      await call('POST', '/v1/rules', { version: 1, id: `rule-${policy}`, policy, agents: [agent] });
    });
    ruling = ruled.catch(() => {});
    return ruled;
  };
  const prefixOf = (document: MandateDocument): Promise<string> => {
    const text = JSON.stringify(document);
    const known = prefixes.get(text);
    if (known !== undefined) return known;
    const prefix = `agent-${prefixes.size + 1}`;
    const ruled = rule(document, `policy-of-${prefix}`, `${prefix}-*`).then(() => prefix);
    prefixes.set(text, ruled);
    return ruled;
  };
  const register = async (agent: { id: string; parent?: string }) => {
    const { key } = await call<{ key: { key: string } }>('POST', '/v1/agents', agent);
    return { agentId: agent.id, apiKey: key.key };
  };
  return {
    url,
    process,
    operatorKey,
    call,
    async agentUnder(document) {
      agents += 1;
      const number = agents;
      return register({ id: `${await prefixOf(document)}-${number}` });
    },
    async teamMember(document, agent) {
      await rule(document, `policy-of-${agent.id}`, agent.id);
      await register(agent);
    },
    async keyOf(agents) {
      const names = ['--name', 'team', '--scopes', 'publish', 'report', '--agents', agents];
      const issuing = spawnMandate(['keys', 'issue', '--json', '--data', data, ...names]);
      return issuing.says('stdout', (line) => /sk-mdt_[^"\s]+/.exec(line)?.[0]);
    },
    async stop() {
      await process.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The instance of an agent. Its commands are those of an operator, because the key of an agent may not give them. */
export class MandateWithOperator extends Mandate {
  readonly #operator: Mandate;

  constructor(options: MandateOptions, operator: Mandate) {
    super(options);
    this.#operator = operator;
  }

  override kill(agentId: string, reason: string): Promise<void> {
    return this.#operator.kill(agentId, reason);
  }

  override approve(...given: Parameters<Mandate['approve']>): Promise<void> {
    return this.#operator.approve(...given);
  }

  override deny(...given: Parameters<Mandate['deny']>): Promise<void> {
    return this.#operator.deny(...given);
  }

  override revive(agentId: string): Promise<boolean> {
    return this.#operator.revive(agentId);
  }

  /** Waits until the audit agrees with the ledger, because until then the parts of a cost are not known. */
  override async getCost(agentId?: string): Promise<Cost> {
    return vi.waitUntil(async () => {
      const cost = await super.getCost(agentId);
      return cost.llmMicros === null ? null : cost;
    }, WAITING);
  }

  override async getCallCount(agentId?: string): Promise<number | null> {
    const found = await vi.waitUntil(async () => {
      const count = await super.getCallCount(agentId);
      return count === null ? null : { count };
    }, WAITING);
    return found.count;
  }
}

const WAITING = { timeout: 60_000, interval: 50 };
