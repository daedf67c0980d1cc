/**
 * What an import takes and gives. An import gets the texts of files, and gives a manifest or faults. It runs nothing and
 * fetches nothing. What a file does not say is not allowed.
 */
import type { PolicyDocument } from '@mandate/schemas';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';

export const IMPORT_FORMATS = [
  'mcp',
  'claude-code',
  'copilot',
  'crewai',
  'cagent',
  'agent-spec',
  'a2a',
  'mcp-registry',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** A file to import. `path` is only used in messages, and for names that the text does not give. */
export type ImportSource = { path: string; text: string };

/** A tool as its server lists it. */
export type ListedTool = { name: string; description?: string; readOnly?: boolean; destructive?: boolean };

export type ImportOptions = {
  /** The name of the manifest. Absent: a name from the files. */
  name?: string;
  /** `all`: where a file means every tool, the known names are written out. Default: `named`, no tool is allowed. */
  tools?: 'named' | 'all';
  /** The tools of servers, by the name of the server. */
  servers?: Readonly<Record<string, readonly ListedTool[]>>;
  /** True: `human_in_the_loop` of Open Agent Spec becomes the confirmation of every tool of the agent. */
  humanInTheLoop?: boolean;
};

export type FaultCode =
  | 'YAML_INVALID'
  | 'FRONTMATTER_MISSING'
  | 'FIELD_MISSING'
  | 'TYPE_WRONG'
  | 'VALUE_WRONG'
  | 'REFERENCE_MISSING'
  | 'REFERENCE_CYCLE'
  | 'NOT_SUPPORTED'
  | 'PERMISSIONS_BYPASSED'
  | 'NOTHING_TO_IMPORT'
  | 'FORMAT_UNKNOWN'
  | 'MANIFEST_INVALID';

export type WarningCode =
  | 'TOOLS_NOT_NAMED'
  | 'TOOL_UNKNOWN'
  | 'TOOL_NAME_INVALID'
  | 'TOOL_NOT_TAKEN'
  | 'TOOL_RENAMED'
  | 'ADDRESS_NOT_TAKEN'
  | 'SERVER_RENAMED'
  | 'FIELD_UNKNOWN'
  | 'FIELD_NOT_TAKEN'
  | 'FIELD_DEFAULTED'
  | 'SECRET_IN_MANIFEST'
  | 'RULE_STRICTER'
  | 'DELEGATION_NOT_TAKEN'
  | 'TASK_NOT_TAKEN'
  | 'NODE_AS_AGENT';

/** `line` and `column` count from 1, and are absent if the message is about no place. `path` is dotted. */
export type ImportNote<Code extends string> = {
  code: Code;
  file: string;
  path: string;
  message: string;
  line?: number;
  column?: number;
};
export type ImportFault = ImportNote<FaultCode>;
export type ImportWarning = ImportNote<WarningCode>;

/** The part of a policy that an import can fill. Each of its fields only narrows what the agent may do. */
export type NarrowingPolicy = Pick<
  PolicyDocument,
  'deniedTools' | 'toolPolicies' | 'rateLimit' | 'allowedProviders'
>;

/** What a file says about an agent that a manifest has no field for. `agent` is the key of its definition. */
export type AgentLimits = { agent: string; policy: NarrowingPolicy; maxTurns?: number };

/** How the address `mcp://name` is reached. Every value of `env` and `headers` is `${env:NAME}`. */
export type ServerBinding =
  | { command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { url: string; headers: Readonly<Record<string, string>> };

export type Imported =
  | {
      ok: true;
      manifest: AgentManifest;
      policies: readonly AgentLimits[];
      /** The servers that the manifest's tools are on, by the name in `mcp://name`. */
      servers: Readonly<Record<string, ServerBinding>>;
      warnings: readonly ImportWarning[];
    }
  | { ok: false; faults: readonly ImportFault[]; warnings: readonly ImportWarning[] };
