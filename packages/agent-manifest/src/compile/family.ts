/**
 * The agents that a manifest becomes, besides its own agent: one for each agent in it, and one for each model that
 * steps name.
 */
import type { ToolEntry } from '@mandate/schemas/agent-manifest';
import { type AgentTool, type Catalog, type Entry, findDefinition, findTool } from '../catalog.ts';
import type { CompileOptions, CompileWarning } from './compiled.ts';
import { exactNameFault } from './ids.ts';
import { type ModelPrice, modelPriceOf } from './model-price.ts';
import type { Refuse } from './refusals.ts';
import { type CompiledStep, ownIdOf } from './workflow-steps.ts';

/** A tool of an agent, and its place in the list of the agent. Agents that name the same tool share it. */
export type MemberTool = { tool: AgentTool; at: number };

/** `entry` null: the member is a model that a step names. `model` null: the member makes no model calls. */
export type Member = {
  id: string;
  path: string;
  entry: Entry<'agent'> | null;
  name: string;
  model: string | null;
  tools: readonly MemberTool[];
  price: ModelPrice | null;
};

type Family = { members: readonly Member[]; warnings: readonly CompileWarning[] };

export function familyOf(
  id: string,
  { catalog, steps }: { catalog: Catalog; steps: readonly CompiledStep[] },
  options: CompileOptions,
  refuse: Refuse,
): Family {
  const warnings: CompileWarning[] = [];
  const { agents: asked, models } = askedBy(steps, catalog, refuse);
  const find = toolFinder(catalog);
  const agents = catalog.agent.entries.map((entry): Member => {
    const { path, definition } = entry;
    const model = definition.model ?? definition.resources?.model_id ?? options.defaultModel ?? null;
    const place = `${path}.model`;
    if (model === null) {
      const message = 'is missing: name a model, or a default model for all agents';
      if (asked.has(entry)) refuse('MODEL_MISSING', place, message);
      else
        warnings.push({ code: 'MODEL_MISSING', path: place, message: `${message}. No step asks this agent` });
    } else refuseModel(model, definition.model === undefined ? path : place, refuse);
    if (definition.resources?.constraints?.rate_limit_tpm !== undefined) {
      const message = 'is kept by the runner alone, because no ledger counts tokens';
      const field = `${path}.resources.constraints.rate_limit_tpm`;
      warnings.push({ code: 'TPM_KEPT_BY_RUNNER', path: field, message });
    }
    return {
      id: `${id}.${ownIdOf(entry)}`,
      path,
      entry,
      name: definition.name ?? entry.id,
      model,
      tools: toolsOf(entry, find, refuse),
      price: priceOf(entry, options, refuse),
    };
  });
  return { members: [...agents, ...models.map((model) => ofModel(id, model, refuse))], warnings };
}

type NamedModel = { name: string; path: string };

/** Returns the agents and models that steps name. In a valid manifest, every other name is a model. */
function askedBy(
  steps: readonly CompiledStep[],
  catalog: Catalog,
  refuse: Refuse,
): { agents: ReadonlySet<Entry<'agent'>>; models: readonly NamedModel[] } {
  const agents = new Set<Entry<'agent'>>();
  const models = new Map<string, NamedModel>();
  for (const { type, asks } of steps) {
    for (const { reference, path } of asks) {
      const read = findDefinition(catalog, 'agent', reference);
      if (read.found === 'ok') agents.add(read.entry);
      else if (read.found !== 'ambiguous' && type === 'agent') {
        if (!models.has(reference)) models.set(reference, { name: reference, path });
      } else refuse('REFERENCE_MISSING', path, 'does not name exactly one agent');
    }
  }
  return { agents, models: [...models.values()] };
}

function ofModel(id: string, { name, path }: NamedModel, refuse: Refuse): Member {
  refuseModel(name, path, refuse);
  return { id: `${id}.${name}`, path, entry: null, name, model: name, tools: [], price: null };
}

/** A model name with a `*` would be a pattern, and would allow other models too. */
function refuseModel(model: string, path: string, refuse: Refuse): void {
  const fault = exactNameFault(model);
  if (fault !== null) refuse('MODEL_INVALID', path, `names a model that ${fault}`);
}

type FindTool = (written: ToolEntry) => ReturnType<typeof findTool>;

/** Many agents may name the same tools, so each name is looked up once. */
function toolFinder(catalog: Catalog): FindTool {
  const known = new Map<string, ReturnType<typeof findTool>>();
  return (written) => {
    if (typeof written !== 'string') return findTool(catalog, written);
    const read = known.get(written) ?? findTool(catalog, written);
    known.set(written, read);
    return read;
  };
}

function toolsOf(
  { path, definition }: Entry<'agent'>,
  find: FindTool,
  refuse: Refuse,
): readonly MemberTool[] {
  return (definition.tools ?? []).flatMap((written, at) => {
    const read = find(written);
    if (read.found === 'ok') return [{ tool: read.tool, at }];
    refuse('REFERENCE_MISSING', `${path}.tools.${at}`, 'does not name exactly one tool');
    return [];
  });
}

/** Returns the place of a tool in the manifest. */
export function placeOf({ path }: Member, { at }: MemberTool): string {
  return `${path}.tools.${at}`;
}

function priceOf(
  { path, definition }: Entry<'agent'>,
  { usdPerEur }: CompileOptions,
  refuse: Refuse,
): ModelPrice | null {
  const pricing = definition.resources?.pricing;
  if (pricing === undefined) return null;
  const read = modelPriceOf(pricing, usdPerEur);
  if (read.ok) return read.price;
  const { code, field, message } = read.refusal;
  refuse(code, `${path}.resources.pricing.${field}`, message);
  return null;
}
