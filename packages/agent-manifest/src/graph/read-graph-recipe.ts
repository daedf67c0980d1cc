/** Reads a graph recipe. A recipe with a fault is refused. */
import type { DocumentSource } from '@mandate/policy/documents';
import { readShape } from '@mandate/schemas';
import { type GraphRecipe, graphRecipeDocument } from '@mandate/schemas/agent-manifest';
import {
  type AgentManifestFault,
  type AgentManifestWarning,
  type Found,
  found,
  MOST_FAULTS,
} from '../read/fault.ts';
import { designTwice } from '../read/fields-together.ts';
import { placed } from '../read/placed.ts';
import { shapeFault } from '../read/read-structure.ts';
import { readSource, type SourceFile } from '../read/source-file.ts';
import { schemaFaults } from '../read/value-schemas.ts';
import { fieldOf, isMap } from '../read/written.ts';
import { graphFaults, graphWarnings } from './check-graph.ts';
import { type KnownAgents, unknownAgents } from './named-agents.ts';

export type ReadGraphRecipe =
  | { ok: true; recipe: GraphRecipe; warnings: readonly AgentManifestWarning[] }
  | { ok: false; faults: readonly AgentManifestFault[] };

/** True if the document is a graph recipe, with or without faults. Otherwise it is a manifest with a workflow. */
export function isGraphRecipe(document: unknown): boolean {
  return isMap(document) && Object.hasOwn(document, 'topology');
}

/** @param file the name of the recipe, for the places of faults */
export function readGraphRecipe(source: DocumentSource, file = 'manifest.yaml'): ReadGraphRecipe {
  const read = readSource(file, source);
  return read.ok ? graphRecipeIn(read.file) : read;
}

export function graphRecipeIn({ name, value, find }: SourceFile, known: KnownAgents = {}): ReadGraphRecipe {
  const place = (path: readonly PropertyKey[]) => ({ file: name, ...find(path) });
  const structure = readStructure(value);
  if (!structure.ok) return { ok: false, faults: placed(structure.faults, place) };
  const { recipe } = structure;
  const faults = [...graphFaults(recipe), ...unknownAgents(recipe, known)];
  if (faults.length > 0) return { ok: false, faults: placed(faults, place) };
  return { ok: true, recipe, warnings: placed(graphWarnings(recipe), place) };
}

function readStructure(
  value: unknown,
): { ok: true; recipe: GraphRecipe } | { ok: false; faults: readonly Found[] } {
  const { workflow, ...others } = isMap(value) ? value : {};
  const read = readShape(graphRecipeDocument, isMap(value) ? others : value, MOST_FAULTS);
  const faults = [
    ...(workflow === undefined ? [] : [TWO_FORMS]),
    ...(read.ok ? [] : read.faults.map(shapeFault)),
    ...designTwice(['metadata'], fieldOf(value, 'metadata')),
    ...schemaFaults(value),
  ];
  return read.ok && faults.length === 0 ? { ok: true, recipe: read.value } : { ok: false, faults };
}

const TWO_FORMS: Found = found(
  'FIELD_CONFLICT',
  ['workflow'],
  'excludes topology: a manifest has steps, or it is a graph. Remove one of them',
);
