/** What a plane and tests import from the control service. app.ts says what the service does. */
export { controlRoutes } from './app.ts';
export { controlConfig, controlSettings } from './config.ts';
export type { Control } from './control.ts';
export { makeTenantTopics } from './make-tenant-topics.ts';
export { measureExpiringKeys } from './measure-expiring-keys.ts';
export { openControlService } from './open-control-service.ts';
export { openControlThread } from './thread/open-control-thread.ts';
