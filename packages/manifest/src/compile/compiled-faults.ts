/**
 * Checks whether the plane accepts the documents that a manifest compiles to. The loader already checks every field, so
 * this check finds only documents that are too large, and values that no document of their kind may have.
 */
import { compilePolicy } from '@mandate/policy';
import {
  agentDocument,
  type ControlRecord,
  controlRecordFault,
  DEFAULTS,
  deepEqual,
  policyDocument,
  readShape,
  ruleDocument,
  wireTime,
} from '@mandate/schemas';
import { MOST_FAULTS } from '../fault.ts';
import type { CompiledManifest } from './compile-manifest.ts';

/** `message` is a whole sentence that names the document. */
export type CompiledFault = { kind: 'agent' | 'policy' | 'rule'; id: string; message: string };

export function compiledFaults({ agents, policies, rules }: CompiledManifest): CompiledFault[] {
  return [
    ...agents.flatMap((agent) =>
      faultsOf('agent', agent, agentDocument, { event: 'agent.put', change: CHANGE, agent }),
    ),
    ...policies.flatMap((policy) => [
      ...faultsOf('policy', policy, policyDocument, { event: 'policy.published', change: CHANGE, policy }),
      ...policyFaults(policy),
    ]),
    ...rules.flatMap((rule) =>
      faultsOf('rule', rule, ruleDocument, { event: 'rule.put', change: CHANGE, rule }),
    ),
  ];
}

const CHANGE = { id: '', tenant: DEFAULTS.tenant, by: '', reason: '', at: wireTime(0) };

function faultsOf<T extends { id: string }>(
  kind: CompiledFault['kind'],
  document: T,
  schema: Parameters<typeof readShape<T>>[0],
  record: ControlRecord,
): CompiledFault[] {
  const { id } = document;
  const say = (what: string): CompiledFault => ({
    kind,
    id,
    message: `makes the ${kind} "${id}", and it ${what}`,
  });
  const unfit = controlRecordFault(record);
  if (unfit !== null) return [say(unfit)];
  const read = readShape(schema, document, MOST_FAULTS);
  if (!read.ok)
    return read.faults.map(({ path, message }) =>
      say(`is refused: ${path.map(String).join('.')} ${message}`),
    );
  // A field that is lost when the document is read back could be a limit.
  return deepEqual(read.value, document)
    ? []
    : [say('changes when it is read: rename what has an unusual name')];
}

function policyFaults(policy: CompiledManifest['policies'][number]): CompiledFault[] {
  const { id } = policy;
  const compiled = compilePolicy(policy, id);
  if (compiled.ok) return [];
  return compiled.faults.map(({ path, message }) => ({
    kind: 'policy',
    id,
    message: `makes the policy "${id}", and it is refused: ${path.join('.')} ${message}`,
  }));
}
