/** @mandate/runner: runs the workflows of agent manifests under governance. */
export type * from './agent-step/call-event.ts';
export type * from './agent-step/port.ts';
export type * from './agent-step/step.ts';
export type * from './models/model-clients.ts';
export type * from './tools/tool-servers.ts';
