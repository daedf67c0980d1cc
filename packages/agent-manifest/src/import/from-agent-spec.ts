/** Imports documents of Open Agent Spec: agents, groups of agents, and flows. */
import { SpecComponents } from './agent-spec/components.ts';
import { importFlow } from './agent-spec/flow-steps.ts';
import { SpecAgents } from './agent-spec/spec-agents.ts';
import { SpecTools } from './agent-spec/spec-tools.ts';
import { ImportFields } from './import-fields.ts';
import { readMap } from './import-file.ts';
import type { ImportSource } from './imported.ts';
import type { ManifestDraft } from './manifest-draft.ts';

export function fromAgentSpec(sources: readonly ImportSource[], draft: ManifestDraft): void {
  for (const source of sources) {
    const file = readMap(source, 'document of Open Agent Spec', draft.notes);
    if (file === null) continue;
    const components = new SpecComponents();
    const root = components.root(new ImportFields(file.value, [], { file, notes: draft.notes }));
    if (root === null) continue;
    draft.name ??= root.name;
    const tools = new SpecTools(draft, components);
    const agents = new SpecAgents(draft, components, tools);
    if (root.type === 'Flow') importFlow(root, { draft, components, agents, tools });
    else agents.add(root);
  }
}
