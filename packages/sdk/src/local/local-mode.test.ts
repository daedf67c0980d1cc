import { sdkContract } from '../contract.ts';
import { Mandate } from '../index.ts';
import { MemoryStateManager } from '../state.ts';

const state = new MemoryStateManager();
let agents = 0;

sdkContract('local mode', async (document) => {
  agents += 1;
  const agentId = `agent-${agents}`;
  const mandate = new Mandate({ agentId, mandate: document, state });
  return { agentId, mandate, tools: mandate.createExecutor() };
});
