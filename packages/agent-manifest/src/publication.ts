/**
 * Makes the record that publishes a manifest or a graph recipe. It reads the manifest with its files, checks it with
 * the gate, compiles it, and checks each document as strictly as the control service checks documents of people.
 */
import { compilePolicy, compileRule } from '@mandate/policy';
import type { DocumentSource } from '@mandate/policy/documents';
import { agentDocument, type PublishedManifest, policyDocument, ruleDocument } from '@mandate/schemas';
import type { AgentManifest, GateDocument, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { decodeFile } from '@mandate/schemas/core';
import { catalogOf } from './catalog.ts';
import { compileDocument } from './compile/compile-document.ts';
import type { CompileOptions } from './compile/compiled.ts';
import { type GateViolation, gateViolations } from './gate/gate-violations.ts';
import { agentsNamedIn, type KnownAgents } from './graph/named-agents.ts';
import { hashOfManifest } from './hash.ts';
import { loadManifestOrGraph } from './load-manifest-or-graph.ts';
import { namedFiles } from './read/checks/paths.ts';
import { folderOf, pathBelow } from './read/file-path.ts';
import type { ManifestFiles } from './read/manifest-files.ts';
import type { KnownModels } from './read/models.ts';

export type PublicationOptions = CompileOptions & { directModels?: KnownModels['directModels'] | undefined };

/**
 * A fault or a warning of a manifest. `line` and `column` count from 1. They are null for a fault of the whole
 * manifest, and for a fault of a compiled document.
 */
export type PublicationNote = {
  code: string;
  file: string;
  path: string;
  line: number | null;
  column: number | null;
  message: string;
};

export type Publication =
  | {
      ok: true;
      published: PublishedManifest;
      /** The agents of other manifests that a graph recipe names, by their ids. */
      namedAgents: readonly string[];
      warnings: readonly PublicationNote[];
    }
  | { ok: false; faults: readonly PublicationNote[]; violations: readonly GateViolation[] };

/**
 * @param main the path of the manifest in `files`
 * @param gate null: everything is allowed
 */
export function publicationOf(
  files: ManifestFiles,
  main: string,
  options: PublicationOptions,
  gate: GateDocument | null,
  known: KnownAgents = {},
): Publication {
  const { directModels, ...ofCompilation } = options;
  const read = loadManifestOrGraph(files, main, {
    ...known,
    ...(directModels !== undefined && { directModels }),
  });
  if (!read.ok) return refused(read.faults);
  const { document } = read;
  const violations = violationsOf(document, gate);
  if (violations.length > 0) return { ok: false, faults: [], violations };
  const named = textsNamedIn(document, files, main);
  if (named.missing.length > 0) return refused(named.missing);
  const compiled = compileDocument(document, ofCompilation);
  if (!compiled.ok) return refused(compiled.refusals.map((refusal) => ofWhole(main, refusal)));
  const published: PublishedManifest = {
    id: compiled.agents[0]?.id ?? '',
    hash: hashOfManifest(document),
    text: JSON.stringify(document),
    options: JSON.stringify(options),
    files: named.texts,
    agents: compiled.agents.map((agent) => agentDocument.parse(agent)),
    policies: compiled.policies.map((policy) => policyDocument.parse(policy)),
    rules: compiled.rules.map((rule) => ruleDocument.parse(rule)),
  };
  const faults = faultsOfDocuments(published).map((fault) => ofWhole(main, fault));
  if (faults.length > 0) return refused(faults);
  const warnings = [...read.warnings, ...compiled.warnings.map((warning) => ofWhole(main, warning))];
  return { ok: true, published, namedAgents: agentsNamedIn(document), warnings };
}

/**
 * A gate forbids tools, addresses and code. A graph recipe contains none of these: they are in the manifests of its
 * agents.
 */
export function violationsOf(
  document: AgentManifest | GraphRecipe,
  gate: GateDocument | null,
): readonly GateViolation[] {
  return gate === null || 'topology' in document ? [] : gateViolations(document, gate).violations;
}

function refused(faults: readonly PublicationNote[]): Publication {
  return { ok: false, faults, violations: [] };
}

function ofWhole(file: string, { code, path, message }: Pick<PublicationNote, 'code' | 'path' | 'message'>) {
  return { code, file, path, line: null, column: null, message };
}

/**
 * Returns the texts of the files that a run needs, by the paths in the manifest. The value of `knowledge` may be an id
 * instead of a file.
 */
function textsNamedIn(document: AgentManifest | GraphRecipe, files: ManifestFiles, main: string) {
  const texts: Record<string, string> = {};
  const missing: PublicationNote[] = [];
  const all = 'topology' in document ? [] : namedFiles(document, catalogOf(document));
  for (const { path, written, isNeeded } of all) {
    if (Object.hasOwn(texts, written)) continue;
    const file = pathBelow(folderOf(main), written);
    const read = file === null ? null : files.read(file);
    const text = read?.found === 'source' ? textOf(read.source) : null;
    if (text !== null) texts[written] = text;
    else if (isNeeded)
      missing.push(
        ofWhole(main, {
          code: 'REF_MISSING',
          path: path.join('.'),
          message: `there is no text file ${written}`,
        }),
      );
  }
  return { texts, missing };
}

/** Returns null if the file is not text. */
function textOf(source: DocumentSource): string | null {
  if (typeof source === 'string') return source;
  const decoded = decodeFile(source);
  return decoded.ok ? decoded.text : null;
}

/**
 * The compilation makes no document that this check refuses. But the manifest comes from outside, and this is the last
 * check.
 */
function faultsOfDocuments({ policies, rules }: PublishedManifest) {
  return [
    ...policies.map((policy) => [policy.id, compilePolicy(policy, policy.id)] as const),
    ...rules.map((rule) => [rule.id, compileRule(rule)] as const),
  ].flatMap(([id, compiled]) =>
    compiled.ok
      ? []
      : compiled.faults.map(({ path, message }) => ({
          code: 'SCHEMA_INVALID',
          path: `${id}: ${path.join('.')}`,
          message,
        })),
  );
}
