/** The exports for a plane and for tests. app.ts describes the gateway. */
export { createGateway, type GatewaySettings, type RunnableGateway } from './app.ts';
export { LastKills } from './commands/last-kills.ts';
export { kill, revive } from './commands/pull-kill-switch.ts';
export { gatewayConfig, gatewaySettings } from './config.ts';
export type { GatewayDependencies } from './gateway.ts';
export { CommandJournal } from './journal/command-journal.ts';
export { openGateway } from './open-gateway.ts';
export type { KillAnswer, KillSetAnswer, ReviveAnswer } from './routes/command-shapes.ts';
export type { AgentInLedger } from './routes/list-agents.ts';
export type { KillShown } from './routes/list-kills.ts';
export type { LedgerSummary } from './routes/show-summary.ts';
