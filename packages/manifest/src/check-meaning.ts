/** Checks whether the manifest and its permissions fit together. Each field was already checked alone. */
import type { ManifestDocument, PermissionsDocument } from '@mandate/schemas/manifest';
import { declaredBy } from './checks/declared.ts';
import { entityFaults } from './checks/entities.ts';
import { intentFaults } from './checks/intents.ts';
import { namesOfManifest, namesOfPermissions } from './checks/names.ts';
import { parameterFaults } from './checks/parameters.ts';
import { readWarnings } from './checks/read-warnings.ts';
import { referencesOfManifest, referencesOfPermissions } from './checks/references.ts';
import { saveRuleFaults, savesNever } from './checks/save-rules.ts';
import { manifestWarnings, permissionWarnings } from './checks/warnings.ts';
import type { Found } from './fault.ts';

export type MeaningFaults = { ofManifest: readonly Found[]; ofPermissions: readonly Found[] };

export function checkMeaning(manifest: ManifestDocument, permissions: PermissionsDocument): MeaningFaults {
  const declared = declaredBy(manifest, permissions);
  return {
    ofManifest: [
      ...namesOfManifest(manifest),
      ...intentFaults(manifest),
      ...entityFaults(manifest),
      ...parameterFaults(manifest),
      ...referencesOfManifest(manifest, declared),
      ...manifestWarnings(manifest, permissions),
    ],
    ofPermissions: [
      ...namesOfPermissions(permissions, manifest),
      ...referencesOfPermissions(permissions, declared),
      ...saveRuleFaults(permissions),
      ...savesNever(permissions, declared.stores),
      ...readWarnings(permissions, manifest),
      ...permissionWarnings(permissions, manifest),
    ],
  };
}
