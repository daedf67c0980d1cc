/** Compares two manifests, two graph recipes, or a manifest with a graph recipe. */
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { withDefaults } from '../with-defaults.ts';
import { type Change, diffOf, type ManifestDiff } from './change.ts';
import { diffGraphs } from './diff-graphs.ts';
import { diffManifests } from './diff-manifests.ts';
import { metadataChanged } from './metadata.ts';
import { interfaceChanged } from './sides.ts';

/**
 * Between a manifest and a graph recipe, only metadata and interface can be compared. Everything else counts as new.
 */
export function diffDocuments(
  old: AgentManifest | GraphRecipe,
  now: AgentManifest | GraphRecipe,
): ManifestDiff {
  if ('topology' in old && 'topology' in now) return diffGraphs(old, now);
  if (!('topology' in old) && !('topology' in now)) return diffManifests(old, now);
  const [was, is] = [withDefaults(old), withDefaults(now)];
  const [gone, added] = 'topology' in old ? ['topology', 'workflow'] : ['workflow', 'topology'];
  const forms: Change[] = [
    { path: gone, category: 'BREAKING', change: 'removed', widens: null },
    { path: added, category: 'GOVERNANCE', change: 'added', widens: true },
  ];
  return diffOf([
    ...metadataChanged(was, is),
    ...interfaceChanged('interface', was.interface, is.interface),
    ...forms,
  ]);
}
