/**
 * Reads agents, policies and rules from files: YAML documents with their `kind`. If a file has a fault, none of its
 * documents is returned.
 */

import { compilePolicy, compileRule } from '@mandate/policy';
import {
  type DocumentFault,
  type DocumentSource,
  documentWarnings,
  type FindPlace,
  readDocuments,
} from '@mandate/policy/documents';
import type { Compiled, WrittenPolicy } from '@mandate/policy/parts';
import {
  type AgentDocument,
  type ControlDocument,
  type ControlRecord,
  controlDocument,
  controlRecordFault,
  DEFAULTS,
  type PolicyDocument,
  type RuleDocument,
  wireTime,
} from '@mandate/schemas';

export type ControlDocuments = {
  readonly agents: ReadonlyMap<string, AgentDocument>;
  readonly policies: ReadonlyMap<string, PolicyDocument>;
  readonly rules: ReadonlyMap<string, RuleDocument>;
};

export type LoadedControl =
  | {
      ok: true;
      documents: ControlDocuments;
      /**
       * Warnings about entries that may not mean what they say, each with its line and column.
       *
       * @param declared tools that documents of other files declare
       */
      warnings(declared?: Iterable<string>): readonly DocumentFault[];
    }
  | { ok: false; faults: readonly DocumentFault[] };

export function loadControl(source: DocumentSource): LoadedControl {
  const documents = {
    agents: new Map<string, AgentDocument>(),
    policies: new Map<string, PolicyDocument>(),
    rules: new Map<string, RuleDocument>(),
  };
  const what = 'agent, policy or rule';
  const policies: WrittenPolicy[] = [];
  const others: { document: object; find: FindPlace }[] = [];
  const faults = readDocuments(
    source,
    { schema: controlDocument, what, begins: 'kind: policy' },
    (value, say, find) => {
      const compiles = (compiled: Compiled<unknown>) => {
        if (!compiled.ok) for (const { path, message } of compiled.faults) say(path, message);
      };
      const { kind } = value;
      const all = documents[OF_KIND[kind]];
      const unfit = controlRecordFault(asRecord(value));
      if (unfit !== null) say([], `the ${kind} cannot be put on the log: it ${unfit}`);
      if (all.has(value.id)) say(['id'], `the ${kind} "${value.id}" is used twice in this file`);
      if (value.kind === 'policy') policies.push({ document: value, find });
      else others.push({ document: value, find });
      if (value.kind === 'agent') documents.agents.set(value.id, without(value));
      else if (value.kind === 'policy') {
        const policy = without(value);
        compiles(compilePolicy(policy, policy.id));
        documents.policies.set(policy.id, policy);
      } else {
        const rule = without(value);
        compiles(compileRule(rule));
        documents.rules.set(rule.id, rule);
      }
    },
  );
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, documents, warnings: (declared) => documentWarnings({ policies, others, declared }) };
}

const OF_KIND = { agent: 'agents', policy: 'policies', rule: 'rules' } as const;

/** Returns the record as `mandate up` would write it. */
function asRecord(value: ControlDocument): ControlRecord {
  const change = { id: '', tenant: DEFAULTS.tenant, by: '', reason: '', at: wireTime(0), expects: 0 };
  if (value.kind === 'agent') return { event: 'agent.put', change, agent: without(value) };
  if (value.kind === 'policy') return { event: 'policy.published', change, policy: without(value) };
  return { event: 'rule.put', change, rule: without(value) };
}

function without<T extends { kind: string }>({ kind: _, ...document }: T): Omit<T, 'kind'> {
  return document;
}
