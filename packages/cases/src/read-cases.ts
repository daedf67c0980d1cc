/**
 * Reads cases from files and folders, with the documents that they are about. Documents that several cases name are
 * read only once.
 */

import { dirname, isAbsolute, join } from 'node:path';
import { type ControlDocuments, mandatesByRegister, mandatesUnderControl } from '@mandate/control';
import { foldDocuments } from '@mandate/control/plan';
import {
  filesBelow,
  holdManifest,
  loadMandatesFile,
  type ManifestOptions,
  offlineRedaction,
  readControlFiles,
} from '@mandate/documents';
import { type MandatesInForce, mandatesOfFile } from '@mandate/policy';
import { describeFault, type FindPlace, readDocuments, type SayFault } from '@mandate/policy/documents';
import type { RedactionRules } from '@mandate/privacy';
import { MandateError, readNamedFile } from '@mandate/runtime';
import { type CasesDocument, casesDocument, type RuleDocument, type StatedSpend } from '@mandate/schemas';
import { type PlayedStep, stepsOf } from './case-steps.ts';
import { budgetNamed, type KnownBudget, knownBudgets } from './named-budgets.ts';

/** The balance that a case states for a budget. `amount` is in dollars. `subject` is the subject of the counter. */
export type StatedBalance = { budget: KnownBudget; subject: string; amount: number };

export type Case = {
  file: string;
  line: number;
  name: string;
  startMs: number;
  control: MandatesInForce;
  redaction: RedactionRules;
  rules: ReadonlyMap<string, RuleDocument>;
  spent: readonly StatedBalance[];
  steps: readonly PlayedStep[];
  find: FindPlace;
};

const CASES = /\.test\.(?:ya?ml|json)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param env the settings of a plane that say what it redacts
 * @param options how manifests are read; a file of cases may name another environment
 * @throws MandateError CASES_INVALID, which names every fault by file, line and column, or says that there is no case
 */
export function readCases(
  paths: readonly string[],
  env: Environment,
  options: ManifestOptions = {},
): readonly Case[] {
  const files = [...new Set(paths.flatMap((path) => filesBelow(path, CASES)))];
  const subjects = subjectsOnce(env, options);
  const faults: string[] = [];
  const cases: Case[] = [];
  for (const file of files) {
    const found = readDocuments(
      readNamedFile(file),
      { schema: casesDocument, what: 'case' },
      (document, say, find) =>
        cases.push(...casesOf(file, document, subjects(file, document, say), say, find)),
    );
    faults.push(...found.map((fault) => describeFault(file, fault)));
  }
  if (faults.length > 0)
    throw new MandateError('CASES_INVALID', `the cases are bad\n${faults.join('\n')}`, {
      remedy: 'Correct them at these places.',
    });
  if (cases.length > 0) return cases;
  throw new MandateError('CASES_INVALID', `${paths.join(', ')} holds no case`, {
    remedy:
      'Name files of cases, or folders with such files. In folders their names end in .test.yaml, .test.yml or .test.json.',
  });
}

type Subject = {
  control: MandatesInForce;
  redaction: RedactionRules;
  rules: ControlDocuments['rules'];
  budgets: readonly KnownBudget[];
};

function casesOf(
  file: string,
  document: CasesDocument,
  { control, redaction, rules, budgets }: Subject,
  say: SayFault,
  find: FindPlace,
): readonly Case[] {
  return document.cases.map((one, index) => {
    const path = ['cases', index];
    const startMs = Date.parse(one.now ?? document.now);
    const spent = one.spent.flatMap((stated, at): StatedBalance[] => {
      const here = [...path, 'spent', at];
      const named = budgetNamed(stated.budget, budgets);
      if (!named.ok) {
        say([...here, 'budget'], named.message);
        return [];
      }
      const subject = subjectOf(named.budget, stated, one.agent);
      if (subject === undefined) say(here, 'says no agentId, and neither does the case (agent)');
      return [{ budget: named.budget, subject: subject ?? '', amount: stated.amount }];
    });
    const steps = stepsOf(one, startMs, path, say);
    const { line } = find([...path, 'name']);
    return { file, line, name: one.name, startMs, control, redaction, rules, spent, steps, find };
  });
}

function subjectOf(
  { scope, mandateId }: KnownBudget,
  { agentId, principal }: StatedSpend,
  agent: string | undefined,
): string | undefined {
  if (scope === 'agent') return agentId ?? agent;
  return scope === 'principal' ? (principal ?? '') : mandateId;
}

/** Returns a function that finds the documents that cases are about. It reads the same files only once. */
function subjectsOnce(
  env: Environment,
  options: ManifestOptions,
): (file: string, document: CasesDocument, say: SayFault) => Subject {
  const documentsOf = once(({ paths, environment }: { paths: readonly string[]; environment?: string }) =>
    readControlFiles(paths, undefined, { ...options, environment }),
  );
  const mandatesOf = once((path: string) => loadMandatesFile(path));
  const redactionOf = once((path: string | undefined) => offlineRedaction(env, path));
  return (file, { files, environment, mandates: mandatesPath, privacy, agents }, say) => {
    const folder = dirname(file);
    const beside = (path: string) => (isAbsolute(path) ? path : join(folder, path));
    const paths = files?.map(beside) ?? (mandatesPath === undefined ? [folder] : []);
    const documents =
      paths.length === 0 ? NOTHING : documentsOf({ paths, ...environmentOf(paths, environment, options) });
    const mandates = mandatesPath === undefined ? [] : mandatesOf(beside(mandatesPath));
    const registered = new Map(documents.agents);
    for (const [at, agent] of agents.entries()) {
      // A second registration would change the agent's document, so the case would not test the document of the
      // plane.
      if (registered.has(agent.id)) say(['agents', at], `the agent "${agent.id}" is registered already`);
      registered.set(agent.id, agent);
    }
    const { fold, revision, refused } = foldDocuments({ ...documents, agents: registered }, 0);
    for (const { change, refusal } of refused) {
      const at = agents.findIndex(({ id }) => id === change.id);
      const why =
        refusal === 'PARENT_UNKNOWN'
          ? `neither these files nor \`agents\` register its parent "${change.after?.parent}" (${refusal})`
          : refusal;
      say(at === -1 ? [] : ['agents', at], `the ${change.kind} "${change.id}" is refused: ${why}`);
    }
    const controlled = mandatesUnderControl(fold, () => revision);
    return {
      control: mandatesByRegister(controlled, mandatesOfFile(mandates, 1)),
      redaction: redactionOf(privacy === undefined ? undefined : beside(privacy)),
      rules: documents.rules,
      budgets: knownBudgets(documents, mandates),
    };
  };
}

/** The environment of the command applies only to cases about a manifest. */
function environmentOf(
  paths: readonly string[],
  stated: string | undefined,
  { environment }: ManifestOptions,
): { environment?: string } {
  if (stated !== undefined) return { environment: stated };
  return environment === undefined || !holdManifest(paths) ? {} : { environment };
}

const NOTHING: ControlDocuments = { agents: new Map(), policies: new Map(), rules: new Map() };

function once<Of, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = new Map<string, Made>();
  return (of) => {
    const key = JSON.stringify(of) ?? '';
    const known = made.get(key) ?? make(of);
    made.set(key, known);
    return known;
  };
}
