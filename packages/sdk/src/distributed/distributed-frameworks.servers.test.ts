import { randomUUID } from 'node:crypto';
import { describeWithOwnServers, type RedisServer, startFaultProxy, startRedis } from '@mandate/testing';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Approver, startApprover } from '../frameworks/contract/start-approver.ts';
import type { FaultyPoint, TestedAgent } from '../frameworks/contract/tested-mode.ts';
import { frameworksContract } from '../frameworks/contract.ts';
import type { MandateDocument } from '../types.ts';
import { RedisStateManager } from './redis-state.ts';

let server: RedisServer;
let approver: Approver;
const redisPrefix = `test-${randomUUID()}`;
let agents = 0;

/**
 * The time limit is long while Redis works, because a busy machine answers late. A test of a fault waits until the
 * limit.
 */
const PATIENT_MS = 20_000;
const FAULTY_MS = 5_000;

function agentOf(mandate: MandateDocument, url = server.url, timeoutMs = PATIENT_MS): TestedAgent {
  agents += 1;
  const agentId = `agent-${agents}`;
  const state = new RedisStateManager({ url, prefix: redisPrefix, timeoutMs });
  onTestFinished(() => state.close());
  const options = { mode: 'distributed', state, agentId, mandate } as const;
  return { agentId, options, approve: (approvalId) => approver.approve(approvalId) };
}

/** A separate Redis, which the test may break. */
async function faultyPoint(injectFault: (redis: RedisServer) => Promise<unknown>): Promise<FaultyPoint> {
  const redis = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
  return {
    agentUnder: async (document) => agentOf(document, redis.url, FAULTY_MS),
    injectFault: async () => void (await injectFault(redis)),
    restore: () => redis.stop(),
  };
}

describeWithOwnServers(['redis'], 'on one Redis', () => {
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
    approver = await startApprover({ mode: 'distributed', redis: server.url, redisPrefix });
  });
  afterAll(async () => {
    approver?.stop();
    await server?.stop();
  });

  frameworksContract('distributed mode', {
    agentUnder: async (document) => agentOf(document),
    teamUnder: async (document, mandate) => {
      const parent = agentOf(document);
      const childId = `${parent.agentId}.payer`;
      return { parent, childId, delegate: (lead) => lead.delegate({ agentId: childId, mandate }) };
    },
    faults: {
      'Redis went away': async () => {
        const proxy = await startFaultProxy(server.port, '');
        return {
          agentUnder: async (document) => agentOf(document, `redis://127.0.0.1:${proxy.port}`, FAULTY_MS),
          injectFault: async () => proxy.cut(),
          restore: async () => proxy[Symbol.dispose](),
        };
      },
      'Redis began to hang': () => faultyPoint(async ({ pid }) => process.kill(pid, 'SIGSTOP')),
      'Redis died': () =>
        faultyPoint(async (redis) => {
          await redis.kill();
        }),
    },
  });
});
