/** What a plane, and tests, take of the control service. Its app.ts says what it does. */
export { controlRoutes } from './app.ts';
export { controlConfig, controlSettings } from './config.ts';
export type { Control } from './control.ts';
export { makeTenantTopics } from './make-tenant-topics.ts';
export { measureExpiringKeys } from './measure-expiring-keys.ts';
export { openControlService } from './open-control-service.ts';
export { openControlThread } from './thread/open-control-thread.ts';
