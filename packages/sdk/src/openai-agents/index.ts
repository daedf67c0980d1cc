/**
 * `@mandate/sdk/openai-agents`: puts agents of the OpenAI Agents SDK under a mandate.
 *
 * Promises: a function tool runs only after an ALLOW, with the decided arguments. A refused call is rejected with a
 * message that the model reads. A call that a person must approve interrupts the run, and runs once after the approval.
 * Handoffs, tools of MCP servers and `asTool` of a governed agent are governed too. Tools that run at the provider,
 * shells, patches and computers cannot be governed. They are refused, unless the option `ungoverned` lists them.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { type GovernAgentOptions, governAgent } from './govern-agent.ts';
export { type GovernModelOptions, governProvider } from './govern-model.ts';
