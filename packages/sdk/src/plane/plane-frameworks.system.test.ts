import { startFaultProxy } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import type { AgentOfMode, Breakable } from '../frameworks/contract/mode.ts';
import { type Approver, startApprover } from '../frameworks/contract/start-approver.ts';
import { frameworksContract } from '../frameworks/contract.ts';
import type { MandateDocument } from '../types.ts';
import { startTestPlane, type TestPlane } from './plane.fixture.ts';

let plane: TestPlane;
let approver: Approver;
/** A parent asks for its sub-agents too, so its process needs a key of all of them. */
let teamKey: string;
let teams = 0;

beforeAll(async () => {
  plane = await startTestPlane();
  approver = await startApprover({ planeUrl: plane.url, apiKey: plane.operatorKey });
  teamKey = await plane.keyOf('team-*');
});

afterAll(async () => {
  approver?.stop();
  await plane?.stop();
});

type Registered = { agentId: string; apiKey: string };

function agentOf({ agentId, apiKey }: Registered, more: object = {}): AgentOfMode {
  const options = {
    mode: 'plane',
    planeUrl: plane.url,
    timeoutMs: 20_000,
    agentId,
    apiKey,
    ...more,
  } as const;
  return { agentId, options, approve: (approvalId) => approver.approve(approvalId) };
}

const agentUnder = async (document: MandateDocument, more: object = {}) =>
  agentOf(await plane.agentUnder(document), more);

function breakable(strike: () => unknown, restore: () => unknown = () => {}): Breakable {
  return {
    agentUnder: (document) => agentUnder(document, { timeoutMs: 2_000 }),
    strike: async () => void (await strike()),
    restore: async () => void (await restore()),
  };
}

frameworksContract('plane mode', {
  agentUnder,
  teamUnder: async (document, below) => {
    teams += 1;
    const [id, childId] = [`team-${teams}`, `team-${teams}.payer`];
    await plane.teamMember(document, { id });
    await plane.teamMember(below, { id: childId, parent: id });
    return {
      parent: agentOf({ agentId: id, apiKey: teamKey }),
      childId,
      delegate: (lead) => lead.delegate({ agentId: childId }),
    };
  },
  faults: {
    'the plane went away': async () => {
      const proxy = await startFaultProxy(Number(new URL(plane.url).port), '');
      const planeUrl = `http://127.0.0.1:${proxy.port}`;
      const { strike, restore } = breakable(
        () => proxy.cut(),
        () => proxy[Symbol.dispose](),
      );
      return {
        agentUnder: (document) => agentUnder(document, { timeoutMs: 2_000, planeUrl }),
        strike,
        restore,
      };
    },
    'the plane began to hang': async () =>
      breakable(
        () => plane.process.process.kill('SIGSTOP'),
        () => plane.process.process.kill('SIGCONT'),
      ),
    // This fault ends the plane, so it is the last one.
    'the plane died': async () => breakable(() => plane.process.kill('SIGKILL')),
  },
});
