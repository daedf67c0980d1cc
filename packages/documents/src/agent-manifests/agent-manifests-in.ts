/**
 * Finds the agent manifests among files, and separates them and the files that they refer to from other documents. If a
 * gate is among the files, every manifest must pass it.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { loadGate, type PublicationNote } from '@mandate/agent-manifest';
import { readNamedFile } from '@mandate/runtime';
import type { PublishedManifest } from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import { ofDocument, ofFile, ofNote, type SaidFault } from '../documents-invalid.ts';
import {
  type AgentManifestFile,
  isAgentManifest,
  readAgentManifestFile,
} from './read-agent-manifest-file.ts';

/** The name of the gate, beside agents, policies and rules. */
export const GATE_FILE = 'gate.yaml';

/** An agent manifest as it would be published. */
export type PublishableManifest = Pick<AgentManifestFile, 'path' | 'text' | 'files'> & {
  published: PublishedManifest;
  namedAgents: readonly string[];
  warnings: readonly PublicationNote[];
};

/** @param roots the files and folders that a person named, in which `files` were found */
export function withoutAgentManifests(
  files: readonly string[],
  roots: readonly string[],
): {
  agentManifests: readonly PublishableManifest[];
  faults: readonly SaidFault[];
  /** The files that no agent manifest refers to. */
  others: readonly string[];
} {
  const gates = files.filter((file) => basename(file) === GATE_FILE);
  const { gate, faults } = gateOf(gates, roots);
  const agentManifests: PublishableManifest[] = [];
  const used = new Set(gates);
  for (const path of files) {
    if (used.has(path) || !isAgentManifest(path)) continue;
    const { publication, text, files: beside } = readAgentManifestFile(path, {}, gate);
    used.add(path);
    for (const name of Object.keys(beside)) used.add(join(dirname(path), name));
    if (publication.ok) {
      const { ok: _, ...publishable } = publication;
      agentManifests.push({ path, text, files: beside, ...publishable });
      continue;
    }
    const folder = dirname(path);
    faults.push(...publication.faults.map((fault) => ofNote(folder, fault)));
    for (const { rule, path: at, message } of publication.violations) {
      const note = { code: 'GATE_VIOLATED', file: basename(path), path: at, line: null, column: null };
      faults.push(ofNote(folder, { ...note, message: `${message} (${rule})` }));
    }
  }
  return {
    agentManifests: manifestsFirst(agentManifests),
    faults,
    others: files.filter((file) => !used.has(file)),
  };
}

/** A graph recipe can be published after the manifests of its agents only. */
function manifestsFirst(all: readonly PublishableManifest[]): readonly PublishableManifest[] {
  const isGraph = ({ namedAgents }: PublishableManifest) => namedAgents.length > 0;
  return [...all.filter((one) => !isGraph(one)), ...all.filter(isGraph)];
}

function gateOf(
  paths: readonly string[],
  roots: readonly string[],
): { gate: GateDocument | null; faults: SaidFault[] } {
  const [path, ...others] = paths;
  if (path === undefined) return { gate: null, faults: [] };
  const misplaced = [...(isAtTop(path, roots) ? [] : [path]), ...others];
  if (misplaced.length > 0)
    return { gate: null, faults: misplaced.map((one) => ofFile(one, MISPLACED, 'Move it, or remove it.')) };
  const read = loadGate(readNamedFile(path));
  if (!read.ok) return { gate: null, faults: read.faults.map((fault) => ofDocument(path, fault)) };
  return { gate: read.gate, faults: [] };
}

const MISPLACED = 'a gate holds for a whole folder: there may be one, at the top of the folder';

/** A plane reads the gate at the top of its folder only. */
function isAtTop(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => resolve(root) === resolve(path) || resolve(root) === resolve(dirname(path)));
}
