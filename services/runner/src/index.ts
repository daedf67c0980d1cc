/** @mandate/runner: runs the workflows of agent manifests under governance. */
export type * from './agent-step/call-event.ts';
export { planeAttempts } from './agent-step/plane-attempts.ts';
export type * from './agent-step/port.ts';
export { runAgentStep } from './agent-step/run-agent-step.ts';
export type * from './agent-step/step.ts';
export { LOGIC_LIMITS, type LogicLimits } from './logic/logic-limits.ts';
export type { LogicFailure, LogicResult } from './logic/logic-result.ts';
export { type LogicOptions, type LogicStepInput, runLogic } from './logic/run-logic.ts';
export { type ModelSettings, openModelClients } from './models/open-model-clients.ts';
export { TokenWindows } from './models/token-windows.ts';
export { openToolServers } from './tools/open-tool-servers.ts';
export { loadToolServers, NO_TOOL_SERVERS } from './tools/tool-servers-file.ts';
