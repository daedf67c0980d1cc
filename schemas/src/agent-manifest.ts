/**
 * @mandate/schemas/agent-manifest: the document of agent manifests. `@mandate/schemas` does not export it, because only
 * `@mandate/agent-manifest` and its users need it. So the SDK starts without it.
 */
import { agentManifestDocument } from './agent-manifest-document.ts';
import { gateDocument } from './gate-document.ts';
import { graphRecipeDocument } from './graph-recipe-document.ts';

export * from './agent-manifest-definitions.ts';
export * from './agent-manifest-document.ts';
export { AGENT_MANIFEST_VERSION } from './agent-manifest-head.ts';
export * from './agent-manifest-steps.ts';
export * from './gate-document.ts';
export * from './graph-recipe-document.ts';

/** The documents about agent manifests by their names. Their JSON Schema files are made for all of them. */
export const AGENT_MANIFEST_DOCUMENTS = {
  'agent-manifest': agentManifestDocument,
  gate: gateDocument,
  'graph-recipe': graphRecipeDocument,
} as const;
