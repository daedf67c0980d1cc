/** The exports for a plane and for tests. app.ts describes the service. */
export { controlRoutes } from './app.ts';
export { controlConfig, controlSettings } from './config.ts';
export type { Control } from './control.ts';
export { GATE_FILE, gateIn, openGateFile } from './gate-file.ts';
export { makeTenantTopics } from './make-tenant-topics.ts';
export { measureExpiringKeys } from './measure-expiring-keys.ts';
export { openControlService } from './open-control-service.ts';
export type { AgentShown } from './routes/agents.ts';
export type { PolicyPublished, PolicyShown } from './routes/policies.ts';
export type { RoleKeyShown } from './routes/role-keys.ts';
export type { RuleShown } from './routes/rules.ts';
export type { DocumentsFound } from './routes/search-documents.ts';
export type { EffectiveShown } from './routes/show-effective.ts';
export type { Finding } from './routes/show-lint.ts';
export type { MandatesFileShown } from './routes/show-mandates-file.ts';
export { openControlThread } from './thread/open-control-thread.ts';
