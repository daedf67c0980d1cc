/**
 * The manifests and graph recipes of runs, read from the control topic, with what the runner computes from them. A run
 * keeps to the versions with which it began, whatever is published meanwhile.
 */
import {
  agentsNamedIn,
  type Catalog,
  type CompiledAgentManifest,
  type CompileOptions,
  catalogOf,
  compileDocument,
  planOfDocument,
  publishedDocument,
  type RunPlan,
} from '@mandate/agent-manifest';
import type { FollowedControl } from '@mandate/control-log';
import type { RunEventOf } from '@mandate/schemas';
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';

type Version = {
  id: string;
  version: number;
  hash: string;
  compiled: CompiledAgentManifest;
  options: CompileOptions;
};

export type LoadedManifest = Version & {
  document: AgentManifest;
  catalog: Catalog;
  /** The model of agents that name no model. */
  defaultModel: string | null;
  /** The texts of files that the manifest names, by their paths. */
  files: Readonly<Record<string, string>>;
};

export type LoadedGraph = Version & { document: GraphRecipe };

export type Loaded = LoadedManifest | LoadedGraph;

type Started = RunEventOf<'run.started'>;
type VersionsOfAgents = NonNullable<Started['agentManifests']>;

export type PlanOf = (started: Started) => Promise<RunPlan | null>;

export type Manifests = {
  /** The latest version. Null if the manifest does not exist, or was removed. */
  latest(tenant: string, id: string): Promise<Loaded | null>;
  /** The version of a run. */
  ofRun(started: Started): Promise<Loaded | null>;
  /**
   * A graph names agents of other manifests. Returns the version in force of each agent's manifest, by the agent's id.
   * A run uses these versions until it ends. Empty for a manifest with a workflow.
   */
  versionsOfAgents(
    tenant: string,
    loaded: Loaded,
  ): Promise<{ versions: VersionsOfAgents } | { unpublished: string }>;
  /** The manifest of an agent that the graph of a run names, and the agent's name in it. */
  ofAgent(started: Started, agentId: string): Promise<{ loaded: LoadedManifest; reference: string } | null>;
  planOf: PlanOf;
};

const MOST_KEPT = 200;

export function isGraph(loaded: Loaded): loaded is LoadedGraph {
  return 'topology' in loaded.document;
}

export function publishedPlans(published: FollowedControl['manifests']): Manifests {
  const kept = new Map<string, Loaded>();

  function load(
    tenant: string,
    found: Awaited<ReturnType<FollowedControl['manifests']['find']>>,
  ): Loaded | null {
    if (found === null) return null;
    const key = JSON.stringify([tenant, found.id, found.version]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const document = publishedDocument(found.text);
    const options: CompileOptions = { ...JSON.parse(found.options), id: found.id };
    const compiled = compileDocument(document, options);
    if (!compiled.ok) return null;
    const { id, version, hash, files } = found;
    const common = { id, version, hash, compiled, options };
    const { defaultModel = null } = options;
    const loaded: Loaded =
      'topology' in document
        ? { ...common, document }
        : { ...common, document, catalog: catalogOf(document), defaultModel, files };
    kept.set(key, loaded);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return loaded;
  }

  const manifests: Manifests = {
    latest: async (tenant, id) => load(tenant, await published.find(tenant, id)),
    ofRun: async ({ tenant, manifest: { id, version } }) =>
      load(tenant, await published.findVersion(tenant, id, version)),
    async versionsOfAgents(tenant, { document }) {
      const versions: VersionsOfAgents = {};
      for (const agentId of agentsNamedIn(document)) {
        const id = published.manifestOf(tenant, agentId);
        const found = id === null ? null : await manifests.latest(tenant, id);
        if (found === null) return { unpublished: agentId };
        versions[agentId] = { id: found.id, version: found.version, hash: found.hash };
      }
      return { versions };
    },
    async ofAgent({ tenant, agentManifests = {} }, agentId) {
      const version = Object.hasOwn(agentManifests, agentId) ? agentManifests[agentId] : undefined;
      if (version === undefined) return null;
      const loaded = load(tenant, await published.findVersion(tenant, version.id, version.version));
      if (loaded === null || isGraph(loaded)) return null;
      return { loaded, reference: agentId.slice(version.id.length + 1) };
    },
    async planOf(started) {
      const loaded = await manifests.ofRun(started);
      return loaded === null ? null : planOfDocument(loaded.document, started.agent, loaded.options);
    },
  };
  return manifests;
}
