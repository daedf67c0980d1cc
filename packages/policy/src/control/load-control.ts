/**
 * Agents, policies and rules as files hold them: YAML documents that each say their `kind`. A file with a fault gives
 * nothing.
 */
import {
  type AgentDocument,
  controlDocument,
  type PolicyDocument,
  type RuleDocument,
} from '@mandate/schemas';
import { type Compiled, compilePolicy } from '../mandate/compile-mandate.ts';
import { type DocumentFault, readDocuments } from '../mandate/read-documents.ts';
import { compileRule } from '../rules/rule.ts';

export type ControlDocuments = {
  readonly agents: ReadonlyMap<string, AgentDocument>;
  readonly policies: ReadonlyMap<string, PolicyDocument>;
  readonly rules: ReadonlyMap<string, RuleDocument>;
};

export type LoadedControl =
  | { ok: true; documents: ControlDocuments }
  | { ok: false; faults: readonly DocumentFault[] };

export function loadControl(text: string): LoadedControl {
  const documents = {
    agents: new Map<string, AgentDocument>(),
    policies: new Map<string, PolicyDocument>(),
    rules: new Map<string, RuleDocument>(),
  };
  const what = 'agent, policy or rule';
  const faults = readDocuments(text, { schema: controlDocument, what }, (value, say) => {
    const compiles = (compiled: Compiled<unknown>) => {
      if (!compiled.ok) for (const { path, message } of compiled.faults) say(path, message);
    };
    const { kind } = value;
    const all = documents[OF_KIND[kind]];
    if (all.has(value.id)) say(['id'], `the ${kind} "${value.id}" stands twice in this file`);
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
  });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, documents };
}

const OF_KIND = { agent: 'agents', policy: 'policies', rule: 'rules' } as const;

function without<T extends { kind: string }>({ kind: _, ...document }: T): Omit<T, 'kind'> {
  return document;
}
