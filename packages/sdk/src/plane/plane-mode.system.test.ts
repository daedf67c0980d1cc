import { byLength } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import type { AgentUnder } from '../contract/scene.ts';
import { CONTRACT_PARTS, LOCAL_PARTS, sdkContract } from '../contract.ts';
import { Mandate } from '../index.ts';
import { MandateWithOperator, startTestPlane, type TestPlane } from './plane.fixture.ts';

let plane: TestPlane;
const open: Mandate[] = [];

beforeAll(async () => {
  plane = await startTestPlane();
});

afterAll(async () => {
  await Promise.all(open.map((mandate) => mandate.close()));
  await plane.stop();
});

let operator: Mandate | null = null;

const PARTS = byLength({
  short: CONTRACT_PARTS.filter((part) => !LOCAL_PARTS.includes(part)),
  full: CONTRACT_PARTS,
});

const agentUnder: AgentUnder = async (document) => {
  const common = { mode: 'plane', planeUrl: plane.url, timeoutMs: 60_000 } as const;
  operator ??= opened(new Mandate({ ...common, apiKey: plane.operatorKey }));
  const { agentId, apiKey } = await plane.agentUnder(document);
  const mandate = opened(new MandateWithOperator({ ...common, agentId, apiKey }, operator));
  return { agentId, mandate, tools: mandate.createExecutor() };
};

sdkContract('plane mode', agentUnder, PARTS);

function opened<T extends Mandate>(mandate: T): T {
  open.push(mandate);
  return mandate;
}
