/** Loads a manifest and its permissions as one, with the overlay of an environment. */
import { deepEqual } from '@mandate/schemas';
import {
  type ManifestDocument,
  manifestDocument,
  type PermissionsDocument,
  permissionsDocument,
} from '@mandate/schemas/manifest';
import { checkMeaning } from './check-meaning.ts';
import { type Found, found, type ManifestFault } from './fault.ts';
import { isBroughtBy } from './overlay/brought-by.ts';
import { mergePatch } from './overlay/merge-patch.ts';
import { widenings } from './overlay/widenings.ts';
import { type FileOf, placeFaults } from './placed-faults.ts';
import { type DocumentForm, readFields } from './read-fields.ts';
import { readSource, type SourceFile, type SourceRead } from './source-file.ts';
import { isMap } from './values-at.ts';
import { type Documents, withoutDangling } from './without-dangling.ts';

type Source = Parameters<typeof readSource>[1];

export type ManifestSources = {
  /** The bytes or the text of `manifest.yaml` and `policy.yaml`. */
  manifest: Source;
  policy: Source;
  /** The name of the environment, if one is named. */
  environment?: string;
  /** The environments that have an overlay. A message lists them if the named environment has none. */
  environments?: readonly string[];
  /** The bytes or the text of `policy.<environment>.yaml`. Absent if the file does not exist. */
  overlay?: Source;
  /** In a lenient load, references that lead nowhere are warnings, and grant nothing. Default: strict. */
  mode?: 'strict' | 'lenient';
};

export type LoadedManifest =
  | ({ ok: true; errors: readonly []; warnings: readonly ManifestFault[] } & Documents)
  | { ok: false; errors: readonly ManifestFault[]; warnings: readonly ManifestFault[] };

const MANIFEST_FILE = 'manifest.yaml';
const POLICY_FILE = 'policy.yaml';
const BEGINS = 'version: "1.0"';

const MANIFEST: DocumentForm<ManifestDocument> = {
  schema: manifestDocument,
  textPatterns: ['entity_types.*.pattern', 'intents.*.triggers.patterns.*', 'intents.*.entities.*.pattern'],
  argumentPatterns: ['tools.*.params.*.pattern'],
};
const PERMISSIONS: DocumentForm<PermissionsDocument> = {
  schema: permissionsDocument,
  textPatterns: ['memory_policies.write.save_rules.*.patterns.*', 'guardrails.input.blocked_patterns.*'],
  argumentPatterns: [],
};

export function loadManifest(sources: ManifestSources): LoadedManifest {
  const files = readFiles(sources);
  if (!files.ok) return { ok: false, errors: files.faults, warnings: [] };
  const { manifest, policy, overlay } = files;
  const mode = sources.mode ?? 'strict';
  const merged = overlay === null ? policy.value : mergePatch(policy.value, overlay.value);
  const inManifest: FileOf = () => manifest;
  const inPolicy: FileOf = (path) =>
    overlay !== null && isBroughtBy(overlay.value, policy.value, path) ? overlay : policy;

  const read = readFields(manifest.value, MANIFEST, manifest.inexact);
  const permitted = readFields(merged, PERMISSIONS, inexactAfter(policy, overlay));
  if (!read.ok || !permitted.ok) {
    const errors = [
      ...placeFaults(read.ok ? [] : read.faults, inManifest, mode).errors,
      ...placeFaults(permitted.ok ? [] : permitted.faults, inPolicy, mode).errors,
    ];
    return { ok: false, errors, warnings: [] };
  }

  const documents = { manifest: read.document, permissions: permitted.document };
  const meaning = checkMeaning(documents.manifest, documents.permissions);
  const wider = overlay === null ? [] : widenings(policy.value, merged, documents.manifest);
  const ofManifest = placeFaults(meaning.ofManifest, inManifest, mode);
  const ofPolicy = placeFaults([...meaning.ofPermissions, ...wider], inPolicy, mode);
  const errors = [...ofManifest.errors, ...ofPolicy.errors];
  const warnings = [...ofManifest.warnings, ...ofPolicy.warnings];
  if (errors.length > 0) return { ok: false, errors, warnings };
  return { ok: true, errors: [], warnings, ...(mode === 'lenient' ? withoutDangling(documents) : documents) };
}

/** A number of the base that cannot be stored exactly is a fault only if the overlay does not replace it. */
function inexactAfter(policy: SourceFile, overlay: SourceFile | null): readonly Found[] {
  if (overlay === null) return policy.inexact;
  const kept = policy.inexact.filter(({ path }) => !isBroughtBy(overlay.value, policy.value, path));
  return [...kept, ...overlay.inexact];
}

type FilesRead =
  | { ok: true; manifest: SourceFile; policy: SourceFile; overlay: SourceFile | null }
  | { ok: false; faults: readonly ManifestFault[] };

function readFiles({ manifest, policy, environment, environments, overlay }: ManifestSources): FilesRead {
  const overlayName = environment === undefined ? 'the overlay' : `policy.${environment}.yaml`;
  const read = readSource(MANIFEST_FILE, manifest, { what: 'manifest', begins: BEGINS });
  const permitted = readSource(POLICY_FILE, policy, { what: 'policy', begins: BEGINS });
  const laid =
    overlay === undefined
      ? null
      : readSource(overlayName, overlay, { what: 'overlay', begins: 'tool_permissions:' });
  const faults = [
    ...faultsOf(read),
    ...(environment !== undefined && laid === null
      ? [environmentUnknown(permitted, overlayName, environments)]
      : []),
    ...faultsOf(permitted),
    ...(laid === null ? [] : faultsOf(laid)),
    ...(permitted.ok && laid?.ok ? renames(permitted.file, laid.file) : []),
  ];
  if (faults.length > 0 || !read.ok || !permitted.ok || laid?.ok === false) return { ok: false, faults };
  return { ok: true, manifest: read.file, policy: permitted.file, overlay: laid?.file ?? null };
}

function faultsOf(read: SourceRead): readonly ManifestFault[] {
  return read.ok ? [] : read.faults;
}

function environmentUnknown(
  policy: SourceRead,
  missing: string,
  environments: readonly string[] = [],
): ManifestFault {
  const place = policy.ok ? policy.file.find([]) : { line: 1, column: 1 };
  const known = environments.length === 0 ? '' : ` (there are overlays of: ${environments.join(', ')})`;
  return {
    code: 'ENVIRONMENT_UNKNOWN',
    file: POLICY_FILE,
    path: '',
    ...place,
    message: `has no overlay ${missing}${known}: correct the name of the environment, or write the file; {} changes nothing`,
  };
}

/** An overlay may repeat the version and the name of its base, but not change them. */
function renames(policy: SourceFile, overlay: SourceFile): readonly ManifestFault[] {
  const { value } = overlay;
  if (!isMap(value) || !isMap(policy.value)) return [];
  const base = policy.value;
  const renamed = ['version', 'name']
    .filter((field) => Object.hasOwn(value, field) && !deepEqual(value[field], base[field]))
    .map((field) =>
      found('OVERLAY_RENAMES', [field], `must be as in ${POLICY_FILE}: remove it from the overlay`),
    );
  return placeFaults(renamed, () => overlay, 'strict').errors;
}
