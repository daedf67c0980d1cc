/**
 * `@mandate/sdk/ai`: puts the models and tools of Vercel's AI SDK 6 and 7 under a mandate. `mandateModel` is a middleware
 * for `wrapLanguageModel`. `mandateTools` returns the same tools, which are decided before they run.
 * `mandateToolApproval` shows decisions as the native approvals of AI SDK 7.
 *
 * `mandateTools` is the enforcement. AI SDK 6 ignores `toolApproval`, and in AI SDK 7 users answer approvals.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { type ModelCall, type ModelOptions, mandateModel } from './mandate-model.ts';
export {
  type Approval,
  type ApprovalQuestion,
  mandateToolApproval,
  type ToolApprovalOptions,
} from './mandate-tool-approval.ts';
export { mandateTools } from './mandate-tools.ts';
