/** Compiles a loaded manifest with its permissions to the documents that the control service knows. */
import type { AgentDocument, PolicyDocument, RuleDocument, ToolPolicyDocument } from '@mandate/schemas';
import {
  type CategoriesSection,
  type ManifestDocument,
  type PermissionsDocument,
  readRate,
} from '@mandate/schemas/manifest';
import { parameterSchema } from '../parameter-schema.ts';
import type { Documents } from '../without-dangling.ts';

export type CompiledManifest = {
  agents: readonly AgentDocument[];
  policies: readonly PolicyDocument[];
  rules: readonly RuleDocument[];
};

type Tool = NonNullable<ManifestDocument['tools']>[number];
type Specialist = NonNullable<ManifestDocument['specialists']>[number];
type Permission = PermissionsDocument['tool_permissions'][string];

/**
 * Returns one agent, policy and rule for the manifest, and another agent, policy and rule for every specialist. The
 * specialists are children of the agent, so the policy of the agent applies to them too.
 *
 * @param categories the rules of the categories of memories, for the policy of the manifest
 */
export function compileManifest(
  { manifest, permissions }: Documents,
  categories?: CategoriesSection,
): CompiledManifest {
  const specialists = manifest.specialists ?? [];
  const nameOf = ({ id }: Specialist) => `${manifest.name}.${id}`;
  return {
    agents: [
      agent(manifest.name, manifest.description),
      ...specialists.map((one) => agent(nameOf(one), one.description, manifest.name)),
    ],
    policies: [
      policyOfManifest(manifest, permissions, categories),
      ...specialists.map((one) => policyOfSpecialist(nameOf(one), one)),
    ],
    rules: [
      rule(permissions.name, permissions.name, manifest.name),
      ...specialists.map((one) => rule(nameOf(one), nameOf(one), nameOf(one))),
    ],
  };
}

function agent(id: string, description: string | undefined, parent?: string): AgentDocument {
  return {
    id,
    groups: [],
    labels: {},
    ...(description !== undefined && { name: firstUnits(description) }),
    ...(parent !== undefined && { parent }),
  };
}

/** The display name of a document has at most 200 UTF-16 units. */
function firstUnits(description: string): string {
  return description.length <= LONGEST_NAME ? description : description.slice(0, LONGEST_NAME).toWellFormed();
}

const LONGEST_NAME = 200;

function rule(id: string, policy: string, agentId: string): RuleDocument {
  return { version: 1, id, priority: 0, policy, mode: 'enforce', agents: [agentId] };
}

function policyOfManifest(
  manifest: ManifestDocument,
  permissions: PermissionsDocument,
  categories: CategoriesSection | undefined,
): PolicyDocument {
  const tools = manifest.tools ?? [];
  const { entity_types, intents } = manifest;
  const specialists = (manifest.specialists ?? []).map(({ id, handles_intents }) => ({
    id,
    handles_intents,
  }));
  const { memory_policies, guardrails, audit } = permissions;
  return {
    version: 1,
    id: permissions.name,
    tools: tools.map(({ id }) => id),
    toolPolicies: Object.fromEntries(
      tools.map((tool) => [tool.id, toolPolicy(tool, permissions.tool_permissions[tool.id])]),
    ),
    governance: {
      roles: permissions.roles.map(({ id }) => id),
      ...(entity_types !== undefined && { entity_types }),
      intents,
      specialists,
      tools: Object.fromEntries(tools.map((tool) => [tool.id, governedTool(tool, manifest)])),
      ...(memory_policies !== undefined && { memory_policies }),
      ...(guardrails !== undefined && { guardrails }),
      ...(audit !== undefined && { audit }),
      ...(categories !== undefined && { categories }),
    },
  };
}

/** A tool without a permission may not be used. */
function toolPolicy(tool: Tool, permission: Permission | undefined): ToolPolicyDocument {
  const confirmed = permission?.requires_confirmation ?? tool.sensitive;
  const rate = permission?.rate_limit;
  return {
    roles: permission?.allowed_roles ?? [],
    ...(rate !== undefined && { rateLimit: rateLimit(rate) }),
    ...(confirmed && { requiresConfirmation: true }),
    argumentValidation: {
      schema: schemaOf(tool) as NonNullable<ToolPolicyDocument['argumentValidation']>['schema'],
    },
  };
}

function rateLimit(written: NonNullable<Permission['rate_limit']>): ToolPolicyDocument['rateLimit'] {
  const read = readRate(written);
  if (!read.ok) throw new TypeError(`a rate that was loaded ${read.message}`);
  return { maxCalls: read.maxCalls, windowMs: read.windowMs, scope: 'principal' };
}

/** A call has the declared arguments and no others. */
function schemaOf({ params }: Tool): object {
  const entries = Object.entries(params);
  const required = entries.flatMap(([name, { required: needed }]) => (needed ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameterSchema(parameter)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * A tool is allowed in the intents of all specialists that use it. Without specialists, it is allowed in every intent.
 */
function governedTool({ id, params }: Tool, { specialists = [] }: ManifestDocument) {
  const users = specialists.filter(({ uses_tools }) => uses_tools.includes(id));
  const intents = [...new Set(users.flatMap(({ handles_intents }) => handles_intents))];
  const defaults = Object.fromEntries(
    Object.entries(params).flatMap(([name, parameter]) =>
      parameter.default === undefined ? [] : [[name, parameter.default as never]],
    ),
  );
  return {
    ...(specialists.length > 0 && { intents }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
  };
}

function policyOfSpecialist(id: string, specialist: Specialist): PolicyDocument {
  const { handles_intents, memory_access } = specialist;
  return {
    version: 1,
    id,
    allowedTools: specialist.uses_tools,
    governance: { specialist: { handles_intents, memory_access } },
  };
}
