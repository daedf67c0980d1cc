import type { CompiledAgentManifest } from '@mandate/agent-manifest';
import type { ControlDocuments } from '@mandate/control';
import { ruleDocument } from '@mandate/schemas';

/** Returns the documents that a manifest compiles to, as files of them would be read. */
export function compiledDocuments({ agents, policies, rules }: CompiledAgentManifest): ControlDocuments {
  return {
    agents: new Map(agents.map((agent) => [agent.id, agent])),
    policies: new Map(policies.map((policy) => [policy.id, policy])),
    rules: new Map(rules.map((rule) => [rule.id, ruleDocument.parse(rule)])),
  };
}
