/**
 * @mandate/schemas/agent-manifest: the document of agent manifests. `@mandate/schemas` does not export it, because only
 * `@mandate/agent-manifest` and its users need it. So the SDK starts without it.
 */
export * from './agent-manifest-definitions.ts';
export * from './agent-manifest-document.ts';
export { AGENT_MANIFEST_VERSION } from './agent-manifest-head.ts';
export * from './agent-manifest-steps.ts';
export * from './graph-recipe-document.ts';
