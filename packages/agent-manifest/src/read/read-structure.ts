/** Checks the fields of a document: their types and limits, schemas and expressions. References are not followed. */
import { readShape } from '@mandate/schemas';
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expressionFaults } from './expressions.ts';
import { type Found, found, isFaultCode, MOST_FAULTS } from './fault.ts';
import { fieldsTogether } from './fields-together.ts';
import { schemaFaults } from './value-schemas.ts';
import { isMap } from './written.ts';

export type StructureRead = { ok: true; manifest: AgentManifest } | { ok: false; faults: readonly Found[] };

export function readStructure(value: unknown): StructureRead {
  const { document, conflicts } = withoutTopology(value);
  const read = readShape(agentManifestDocument, document, MOST_FAULTS);
  const faults = [
    ...conflicts,
    ...(read.ok ? [] : read.faults.map(shapeFault)),
    ...fieldsTogether(value),
    ...schemaFaults(value),
    ...expressionFaults(value),
  ];
  return read.ok && faults.length === 0 ? { ok: true, manifest: read.value } : { ok: false, faults };
}

/** A topology beside a workflow is reported as one fault, and not also as an unknown field. */
function withoutTopology(value: unknown): { document: unknown; conflicts: readonly Found[] } {
  if (!isMap(value) || !Object.hasOwn(value, 'topology') || !Object.hasOwn(value, 'workflow'))
    return { document: value, conflicts: [] };
  const { topology: _, ...document } = value;
  return { document, conflicts: [TWO_FORMS] };
}

const TWO_FORMS: Found = found(
  'FIELD_CONFLICT',
  ['workflow'],
  'excludes topology: a manifest has steps, or it is a graph. Remove one of them',
);

type ShapeFault = Extract<ReturnType<typeof readShape>, { ok: false }>['faults'][number];

export function shapeFault({ path, message, unknownField, missing, wrongType, code }: ShapeFault): Found {
  if (unknownField) return found('FIELD_UNKNOWN', path, message);
  if (missing) return found('FIELD_MISSING', path, message);
  if (wrongType) return found('TYPE_WRONG', path, message);
  return found(isFaultCode(code) ? code : 'VALUE_WRONG', path, message);
}
