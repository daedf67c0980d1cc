/**
 * The manifests of runs, read from the control topic, with what the runner computes from them. A run keeps to the
 * version with which it began, whatever is published meanwhile.
 */
import {
  type Catalog,
  type CompiledAgentManifest,
  type CompileOptions,
  catalogOf,
  compileAgentManifest,
  type RunPlan,
  workflowOf,
  workflowPlan,
} from '@mandate/agent-manifest';
import type { FollowedControl } from '@mandate/control-log';
import type { RunEventOf } from '@mandate/schemas';
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';

export type LoadedManifest = {
  id: string;
  version: number;
  hash: string;
  manifest: AgentManifest;
  catalog: Catalog;
  compiled: CompiledAgentManifest;
  /** The model of agents that name none. */
  defaultModel: string | null;
  /** The texts of files that the manifest names, by their paths. */
  files: Readonly<Record<string, string>>;
};

export type PlanOf = (started: RunEventOf<'run.started'>) => Promise<RunPlan | null>;

export type Manifests = {
  /** The latest version. Null if the manifest does not exist, or was removed. */
  latest(tenant: string, id: string): Promise<LoadedManifest | null>;
  /** The version of a run. */
  ofRun(started: RunEventOf<'run.started'>): Promise<LoadedManifest | null>;
  planOf: PlanOf;
};

const MOST_KEPT = 200;

export function publishedPlans(published: FollowedControl['manifests']): Manifests {
  const kept = new Map<string, LoadedManifest>();

  function load(
    tenant: string,
    found: Awaited<ReturnType<FollowedControl['manifests']['find']>>,
  ): LoadedManifest | null {
    if (found === null) return null;
    const key = JSON.stringify([tenant, found.id, found.version]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const manifest = agentManifestDocument.parse(JSON.parse(found.text));
    const options: CompileOptions = { ...JSON.parse(found.options), id: found.id };
    const compiled = compileAgentManifest(manifest, options);
    if (!compiled.ok) return null;
    const { id, version, hash, files } = found;
    const catalog = catalogOf(manifest);
    const { defaultModel = null } = options;
    const loaded = { id, version, hash, manifest, catalog, compiled, defaultModel, files };
    kept.set(key, loaded);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return loaded;
  }

  const manifests: Manifests = {
    latest: async (tenant, id) => load(tenant, await published.find(tenant, id)),
    ofRun: async ({ tenant, manifest: { id, version } }) =>
      load(tenant, await published.findVersion(tenant, id, version)),
    async planOf(started) {
      const loaded = await manifests.ofRun(started);
      const workflow = loaded === null ? null : workflowOf(loaded.manifest, started.agent);
      return loaded === null || workflow === null ? null : workflowPlan(loaded.manifest, workflow);
    },
  };
  return manifests;
}
