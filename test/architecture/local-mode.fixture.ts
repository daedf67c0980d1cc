/** Runs one tool of an agent in local mode. The test counts the modules that this loads. */
import { mandate } from '@mandate/sdk';

const tools = mandate.createExecutor({ agentId: 'a', mandate: { allowedTools: ['search'] } });
await tools.run('search', {}, () => 'found');
