/** The options of a manifest's latest version, which a publication keeps unless the command gives others. */
import { slugOf } from '@mandate/agent-manifest';
import type { ApiClient } from '@mandate/client';
import { nullIf } from '../api-failure.ts';
import type { ManifestOfFile } from '../input/manifest-file.ts';

type Shown = { version: number; options: Readonly<Record<string, unknown>> };

/** Only these options have an effect on a graph recipe. A manifest has its own limit of steps. */
const OF_GRAPH: ReadonlySet<string> = new Set(['id', 'maxCostTotal', 'mostVisits']);

/**
 * Returns the options of the latest version, also of a removed manifest. Null: the plane has no version.
 *
 * @param id the id of the manifest; absent: made from the name
 */
export async function keptOptions(
  api: Pick<ApiClient, 'get'>,
  document: ManifestOfFile,
  id = slugOf(document.metadata.name),
): Promise<Shown | null> {
  if (id === null) return null;
  const path = `/v1/manifests/${encodeURIComponent(id)}`;
  const shown = await nullIf('MANIFEST_NOT_FOUND', api.get<Shown>(path));
  if (shown === null) return null;
  const { version, options } = shown;
  const isGraph = 'topology' in document;
  const usable = Object.entries(options).filter(([name]) =>
    isGraph ? OF_GRAPH.has(name) : name !== 'mostVisits',
  );
  return { version, options: Object.fromEntries(usable) };
}
