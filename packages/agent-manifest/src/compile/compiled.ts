/** The result of compiling a manifest: control documents, and the limits that only the runner can enforce. */
import type { AgentDocument, PolicyDocument, RuleDocument, ToolPolicyDocument } from '@mandate/schemas';
import type { RiskLevel } from '@mandate/schemas/agent-manifest';
import type { ModelPrice, PriceRefusal } from './model-price.ts';

/** A rule in the form of a file. Its priority and mode are the defaults of the format. */
export type WrittenRule = Omit<RuleDocument, 'priority' | 'mode'>;

/**
 * `attempts`: the attempts of each step. Absent fields mean no limit. `timeoutMs`: time of waiting for people does not
 * count.
 */
export type RunLimits = { attempts: number; maxSteps?: number; timeoutMs?: number };

/**
 * A tool that agents may call. `risk` null: its author did not rate it. `hash`: the SHA-256 that it must have, of the
 * server's description of a tool with an address, or of the implementation of an inline tool.
 */
export type CompiledTool = {
  kind: 'tool' | 'remote' | 'inline';
  risk: RiskLevel | null;
  uri?: string;
  hash?: string;
};

/**
 * The limits of the model calls of an agent, in tokens. The runner enforces them, because the ledger does not know
 * these limits.
 */
export type Throttle = { contextWindow: number; maxOutputTokens?: number; tokensPerMinute?: number };

export type CompileWarning = {
  code: 'MODEL_MISSING' | 'TPM_KEPT_BY_RUNNER';
  path: string;
  message: string;
};

export type CompiledAgentManifest = {
  ok: true;
  /** The agent of the manifest, then its agents in the order of the document, then the models that steps name. */
  agents: readonly AgentDocument[];
  policies: readonly PolicyDocument[];
  rules: readonly WrittenRule[];
  run: RunLimits;
  /** By their names in Mandate. */
  tools: Readonly<Record<string, CompiledTool>>;
  /** Each pair of an agent and a tool for which a person is asked. Sorted. */
  confirm: readonly (readonly [agentId: string, tool: string])[];
  /** By agent id. */
  prices: Readonly<Record<string, ModelPrice>>;
  throttle: Readonly<Record<string, Throttle>>;
  warnings: readonly CompileWarning[];
};

export type CompileCode =
  | 'COMPILE_ID_NEEDED'
  | 'COMPILE_ID_INVALID'
  | 'COMPILE_ID_CLASH'
  | 'COMPILE_OPTION_INVALID'
  | 'COMPILE_TOO_LARGE'
  | 'MODEL_MISSING'
  | 'MODEL_INVALID'
  | 'REFERENCE_MISSING'
  | 'ROLE_UNCHECKED'
  | 'SCHEMA_INVALID'
  | 'TOOL_HASH_CLASH'
  | 'TOOL_NAME_CLASH'
  | PriceRefusal['code'];

/** `path`: the place in the manifest, with its parts joined by dots. For an option: `options.id`. */
export type CompileRefusal = { code: CompileCode; path: string; message: string };

/** The reasons in the order in which they were found. There is at least one. */
export type CompileRefused = { ok: false; refusals: readonly CompileRefusal[] };

export type CompileOptions = {
  /** The id of the manifest's own agent. Absent: the id is made from the name. */
  id?: string | undefined;
  /** The model of agents that name no model. */
  defaultModel?: string | undefined;
  /** How tools without a risk level are treated. Absent: as critical tools. */
  unratedRisk?: RiskLevel | undefined;
  /** The meaning of each risk level. An absent level keeps its default meaning. */
  risk?: Partial<Record<RiskLevel, ToolPolicyDocument>> | undefined;
  /** How many dollars a euro is worth. Absent: prices in euros are refused. */
  usdPerEur?: number | undefined;
  /** The lifetime budget of the whole family, in dollars. Absent: none. */
  maxCostTotal?: number | undefined;
  /**
   * The maximum number of nodes that a run of a graph visits. Absent: 50. A manifest with a workflow states its own
   * limit as max_steps.
   */
  mostVisits?: number | undefined;
};
