/** Local mode has no other process. So another instance with the same state approves. */
import type { TestedAgent } from '../frameworks/contract/tested-mode.ts';
import { frameworksContract } from '../frameworks/contract.ts';
import { Mandate, MemoryStateManager } from '../index.ts';
import type { MandateDocument } from '../types.ts';

function agentOf(mandate: MandateDocument, agentId = 'bot', state = new MemoryStateManager()): TestedAgent {
  const options = { agentId, mandate, state };
  return {
    agentId,
    options,
    approve: (approvalId) => new Mandate(options).approve(approvalId),
  };
}

frameworksContract('local mode', {
  agentUnder: async (document) => agentOf(document),
  teamUnder: async (document, mandate) => ({
    parent: agentOf(document, 'lead'),
    childId: 'lead.payer',
    delegate: (lead) => lead.delegate({ agentId: 'lead.payer', mandate }),
  }),
  faults: {
    'the state was closed': async () => {
      const state = new MemoryStateManager();
      let agents = 0;
      return {
        agentUnder: async (document) => {
          agents += 1;
          return agentOf(document, `bot-${agents}`, state);
        },
        injectFault: () => state.close(),
        restore: async () => {},
      };
    },
  },
});
