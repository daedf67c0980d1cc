/** Checks whether the parts of a manifest fit together. The fields of the manifest must already be free of faults. */
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { catalogOf } from '../catalog.ts';
import { duplicateIds } from './checks/duplicate-ids.ts';
import { pathFaults } from './checks/paths.ts';
import { referenceFaults } from './checks/references.ts';
import { toolFaults } from './checks/tools.ts';
import { warningsOf } from './checks/warnings.ts';
import { circleFaults, stepIdFaults } from './checks/workflow.ts';
import type { Found, WarningCode } from './fault.ts';
import type { ManifestFiles } from './manifest-files.ts';
import type { KnownModels } from './models.ts';

export type Meaning = { faults: readonly Found[]; warnings: () => readonly Found<WarningCode>[] };

/** @param context.name the path of the manifest in `files` */
export function checkMeaning(
  manifest: AgentManifest,
  { name, files, models }: { name: string; files: ManifestFiles; models: KnownModels },
): Meaning {
  const catalog = catalogOf(manifest);
  return {
    faults: [
      ...duplicateIds(manifest, catalog),
      ...referenceFaults(manifest, catalog, models),
      ...toolFaults(manifest, catalog),
      ...stepIdFaults(manifest),
      ...circleFaults(manifest),
      ...pathFaults(manifest, catalog, name, files),
    ],
    warnings: () => warningsOf(manifest, catalog),
  };
}
