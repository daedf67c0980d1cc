/** Finds out whether a plane would refuse the documents that a manifest becomes. */
import { compilePolicy } from '@mandate/policy';
import type { PolicyDocument } from '@mandate/schemas';
import { CAPS, dollarsToMicros } from '@mandate/schemas/core';
import type { CompileOptions } from './compiled.ts';
import { modelRateOf } from './control-documents.ts';
import { type Member, placeOf } from './family.ts';
import { exactNameFault, policyIdOf } from './ids.ts';
import type { Refuse } from './refusals.ts';
import type { CompiledStep } from './workflow-steps.ts';

export function refuseOptions(
  id: string,
  { maxCostTotal, mostVisits }: CompileOptions,
  refuse: Refuse,
  { isGraph }: { isGraph: boolean } = { isGraph: false },
): void {
  const fault = exactNameFault(id);
  if (fault !== null) refuse('COMPILE_ID_INVALID', 'options.id', `is "${id}", which ${fault}`);
  if (mostVisits !== undefined && !isGraph)
    refuse('COMPILE_OPTION_INVALID', 'options.mostVisits', 'is of graphs: write policy.max_steps here');
  if (maxCostTotal === undefined || dollarsToMicros(maxCostTotal) !== null) return;
  const message = 'must be dollars, zero or more, with at most six decimals (0.25)';
  refuse('COMPILE_OPTION_INVALID', 'options.maxCostTotal', message);
}

/** Two agents with the same policy id would share their permissions. */
export function refuseIds(
  { members, steps }: { members: readonly Member[]; steps: readonly Pick<CompiledStep, 'tool' | 'path'>[] },
  refuse: Refuse,
): void {
  for (const { tool, path } of steps) refuseName(tool, path, refuse);
  const policies = new Map<string, string>();
  for (const member of members) {
    const { path } = member;
    const rate = modelRateOf(member)?.policy.id;
    for (const policy of [policyIdOf(member.id), ...(rate === undefined ? [] : [rate])]) {
      refuseName(policy, path, refuse);
      const before = policies.get(policy);
      if (before === undefined) policies.set(policy, path);
      else refuse('COMPILE_ID_CLASH', path, `makes the policy "${policy}", as ${before} does: rename one`);
    }
  }
}

function refuseName(name: string, path: string, refuse: Refuse): void {
  const fault = exactNameFault(name);
  if (fault !== null) refuse('COMPILE_ID_INVALID', path, `makes the name "${name}", which ${fault}`);
}

/** A list in a policy, and the policies of a tenant, are limited in number. */
export function refuseSizes(
  sizes: { tools: number; models: number; policies: number },
  refuse: Refuse,
): void {
  const most = { tools: CAPS.toolPolicies, models: CAPS.globs, policies: CAPS.policies };
  for (const what of ['tools', 'models', 'policies'] as const) {
    if (sizes[what] <= most[what]) continue;
    const said = what === 'tools' ? 'tools and steps' : what;
    const message = `become ${sizes[what]} ${said}, at most ${most[what]} are possible: make several manifests`;
    refuse('COMPILE_TOO_LARGE', 'definitions', message);
  }
}

/** Not every JSON Schema can be checked in bounded time. A tool is refused if its arguments cannot be checked. */
export function refuseSchemas(member: Member, policy: PolicyDocument, refuse: Refuse): void {
  const { tools } = member;
  if (tools.every(({ tool }) => tool.inline === null)) return;
  const compiled = compilePolicy(policy, policy.id);
  if (compiled.ok) return;
  for (const { path, message } of compiled.faults) {
    const [, name, , , ...below] = path;
    const named = tools.find(({ tool }) => tool.name === name && tool.inline !== null);
    const place = named === undefined ? ['options.risk'] : [placeOf(member, named), 'parameters', ...below];
    refuse('SCHEMA_INVALID', place.join('.'), message);
  }
}
