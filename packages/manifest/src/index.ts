/**
 * @mandate/manifest: manifests with their permissions, and categories of memories, as people write them. The package is
 * pure: it gets texts and returns documents or faults. It does no I/O and reads no clock.
 *
 * `loadManifest` reads `manifest.yaml` and `policy.yaml` together, with the overlay of an environment. Its faults come
 * in stages: files and YAML, then each field alone, then whether the documents fit together. A stage reports all its
 * faults, and a later stage runs only if the earlier stages found none. Each fault has a code, a file, a path, a line
 * and a column, and says what to do.
 */
export { type CompiledManifest, compileManifest } from './compile/compile-manifest.ts';
export { type CompiledFault, compiledFaults } from './compile/compiled-faults.ts';
export type { FaultCode, ManifestFault } from './fault.ts';
export { compileCategories, type LoadedCategories, loadCategories } from './load-categories.ts';
export { type LoadedManifest, loadManifest, type ManifestSources } from './load-manifest.ts';
export { type Difference, governanceWidenings } from './overlay/governance-widenings.ts';
