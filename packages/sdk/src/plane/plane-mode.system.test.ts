import { afterAll, beforeAll } from 'vitest';
import { sdkContract } from '../contract.ts';
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

sdkContract('plane mode', async () => {
  const common = { mode: 'plane', planeUrl: plane.url, timeoutMs: 60_000 } as const;
  const operator = new Mandate({ ...common, apiKey: plane.operatorKey });
  open.push(operator);
  return {
    async agentUnder(document) {
      const { agentId, apiKey } = await plane.agentUnder(document);
      const mandate = new MandateWithOperator({ ...common, agentId, apiKey }, operator);
      open.push(mandate);
      return { agentId, mandate, tools: mandate.createExecutor() };
    },
  };
});
