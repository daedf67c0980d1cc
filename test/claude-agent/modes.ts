/** The modes of the SDK in which the cases run: in this process, on a Redis, and on a plane in its own process. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Mandate, type MandateDocument, type MandateOptions, MemoryStateManager } from '@mandate/sdk';
import { spawnMandate, startPlane, startRedis } from '@mandate/testing';

/** A main agent and its sub-agent. Each call of `open` returns an instance as in another process. */
export type Agents = {
  childId: string;
  open(): { mandate: Mandate; question(): string };
  /** Approves in another process. Local mode has no other process, and uses another instance. */
  approve(approvalId: string): Promise<void>;
};

export type Mode = {
  agentsUnder(document: MandateDocument, ofSubAgent?: MandateDocument): Promise<Agents>;
  /** Returns agents that cannot reach their decision point. */
  unreachableAgents(): Promise<Agents>;
  stop(): Promise<void>;
};

/** An address without a server. */
const NOWHERE = '127.0.0.1:1';

/** Opens an instance. `question` returns the id of the last question to a person. */
function opened(options: MandateOptions, delegate: (mandate: Mandate) => unknown) {
  let question = '';
  class WatchedMandate extends Mandate {
    protected override openPoint(...given: Parameters<Mandate['openPoint']>) {
      const point = super.openPoint(...given);
      const decide: typeof point.decide = async (record) => {
        const decision = await point.decide(record);
        question = decision.approvalId ?? question;
        return decision;
      };
      return { ...point, decide };
    }
  }
  const mandate = new WatchedMandate({ ...options, onError: () => {} });
  delegate(mandate);
  return { mandate, question: () => question };
}

async function approveInOtherProcess(options: MandateOptions, approvalId: string): Promise<void> {
  const file = join(import.meta.dirname, 'approve.ts');
  await promisify(execFile)(process.execPath, [file, JSON.stringify(options), approvalId]);
}

function agentsInThisProcess(
  options: MandateOptions,
  ofSubAgent: MandateDocument,
  approve: Agents['approve'] = (approvalId) => new Mandate(options).approve(approvalId),
): Agents {
  const childId = `${options.agentId}.payer`;
  return {
    childId,
    open: () => opened(options, (mandate) => mandate.delegate({ agentId: childId, mandate: ofSubAgent })),
    approve,
  };
}

let agents = 0;

function newAgent(): string {
  agents += 1;
  return `bot-${agents}`;
}

async function local(): Promise<Mode> {
  const optionsOf = (mandate: MandateDocument, state = new MemoryStateManager()) => ({
    agentId: newAgent(),
    mandate,
    state,
  });
  return {
    agentsUnder: async (document, ofSubAgent = {}) => agentsInThisProcess(optionsOf(document), ofSubAgent),
    async unreachableAgents() {
      const state = new MemoryStateManager();
      await state.close();
      return agentsInThisProcess(optionsOf({}, state), {});
    },
    stop: async () => {},
  };
}

async function distributed(): Promise<Mode> {
  const server = await startRedis({ appendonly: true });
  const optionsOf = (mandate: MandateDocument, redis = server.url): MandateOptions => ({
    mode: 'distributed',
    ...{ redis, redisPrefix: 'claude-agent', agentId: newAgent(), mandate },
  });
  return {
    async agentsUnder(document, ofSubAgent = {}) {
      const options = optionsOf(document);
      return agentsInThisProcess(options, ofSubAgent, (approvalId) =>
        approveInOtherProcess(options, approvalId),
      );
    },
    unreachableAgents: async () => agentsInThisProcess(optionsOf({}, `redis://${NOWHERE}`), {}),
    stop: () => server.stop(),
  };
}

async function plane(folder: string): Promise<Mode> {
  const started = await startPlane({ data: folder });
  const { url, keys } = started;
  const operatorKey = keys.operator ?? '';
  const issuing = spawnMandate([
    ...['keys', 'issue', '--json', '--data', folder, '--name', 'bots'],
    ...['--scopes', 'publish', 'report', '--agents', 'bot-*'],
  ]);
  const apiKey = await issuing.says('stdout', (line) => /sk-mdt_[^"\s]+/.exec(line)?.[0]);
  const call = async (path: string, body: object) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  const register = async (document: MandateDocument, agent: { id: string; parent?: string }) => {
    const policy = `policy-of-${agent.id}`;
    await call('/v1/policies', { version: 1, id: policy, ...document });
    await call('/v1/rules', { version: 1, id: `rule-of-${agent.id}`, policy, agents: [agent.id] });
    await call('/v1/agents', agent);
  };
  const agentsAt = (planeUrl: string, agentId: string): Agents => {
    const childId = `${agentId}.payer`;
    const options: MandateOptions = { mode: 'plane', planeUrl, apiKey, agentId, timeoutMs: 4_000 };
    return {
      childId,
      open: () => opened(options, (mandate) => mandate.delegate({ agentId: childId })),
      approve: (approvalId) =>
        approveInOtherProcess({ mode: 'plane', planeUrl, apiKey: operatorKey }, approvalId),
    };
  };
  return {
    async agentsUnder(document, ofSubAgent = {}) {
      const id = newAgent();
      await register(document, { id });
      await register(ofSubAgent, { id: `${id}.payer`, parent: id });
      return agentsAt(url, id);
    },
    unreachableAgents: async () => agentsAt(`http://${NOWHERE}`, newAgent()),
    stop: async () => void (await started.kill('SIGKILL')),
  };
}

/** @param folder for the data of the plane */
export const modes = (folder: string): Record<string, () => Promise<Mode>> => ({
  local,
  distributed,
  plane: () => plane(folder),
});
