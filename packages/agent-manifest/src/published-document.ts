import {
  type AgentManifest,
  agentManifestDocument,
  type GraphRecipe,
  graphRecipeDocument,
} from '@mandate/schemas/agent-manifest';
import { isGraphRecipe } from './graph/read-graph-recipe.ts';

/**
 * Returns the manifest or the graph recipe of a published version. It was checked when it was published.
 *
 * @param text the JSON text of the version
 */
export function publishedDocument(text: string): AgentManifest | GraphRecipe {
  const written: unknown = JSON.parse(text);
  return isGraphRecipe(written) ? graphRecipeDocument.parse(written) : agentManifestDocument.parse(written);
}
