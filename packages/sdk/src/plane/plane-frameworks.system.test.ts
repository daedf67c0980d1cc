import { startFaultProxy } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import { type Approver, startApprover } from '../frameworks/contract/start-approver.ts';
import type { FaultyPoint, TestedAgent } from '../frameworks/contract/tested-mode.ts';
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
  approver = await startApprover({ mode: 'plane', planeUrl: plane.url, apiKey: plane.operatorKey });
  teamKey = await plane.keyOf('team-*');
});

afterAll(async () => {
  approver?.stop();
  await plane?.stop();
});

type Registered = { agentId: string; apiKey: string };

function agentOf({ agentId, apiKey }: Registered, more: object = {}): TestedAgent {
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

function faultyPoint(
  injectFault: () => unknown,
  { restore = () => {}, planeUrl = plane.url }: { restore?: () => unknown; planeUrl?: string } = {},
): FaultyPoint {
  return {
    agentUnder: (document) => agentUnder(document, { timeoutMs: 2_000, planeUrl }),
    injectFault: async () => void (await injectFault()),
    restore: async () => void (await restore()),
  };
}

frameworksContract('plane mode', {
  agentUnder,
  teamUnder: async (ofParent, ofChild) => {
    teams += 1;
    const [id, childId] = [`team-${teams}`, `team-${teams}.payer`];
    await plane.teamMember(ofParent, { id });
    await plane.teamMember(ofChild, { id: childId, parent: id });
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
      return faultyPoint(() => proxy.cut(), { restore: () => proxy[Symbol.dispose](), planeUrl });
    },
    'the plane began to hang': async () =>
      faultyPoint(() => plane.process.process.kill('SIGSTOP'), {
        restore: () => plane.process.process.kill('SIGCONT'),
      }),
    // This fault ends the plane, so it is the last one.
    'the plane died': async () => faultyPoint(() => plane.process.kill('SIGKILL')),
  },
});
