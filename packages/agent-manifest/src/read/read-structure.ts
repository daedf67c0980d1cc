/** Checks the fields of a document: their types and bounds, schemas and expressions. No reference is followed. */
import { readShape } from '@mandate/schemas';
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expressionFaults } from './expressions.ts';
import { type Found, found, isFaultCode, MOST_FAULTS } from './fault.ts';
import { fieldsTogether } from './fields-together.ts';
import { schemaFaults } from './value-schemas.ts';

export type StructureRead = { ok: true; manifest: AgentManifest } | { ok: false; faults: readonly Found[] };

export function readStructure(value: unknown): StructureRead {
  const read = readShape(agentManifestDocument, value, MOST_FAULTS);
  const faults = [
    ...(read.ok ? [] : read.faults.map(shapeFault)),
    ...fieldsTogether(value),
    ...schemaFaults(value),
    ...expressionFaults(value),
  ];
  return read.ok && faults.length === 0 ? { ok: true, manifest: read.value } : { ok: false, faults };
}

type ShapeFault = Extract<ReturnType<typeof readShape>, { ok: false }>['faults'][number];

export function shapeFault({ path, message, unknownField, missing, wrongType, code }: ShapeFault): Found {
  if (unknownField) return found('FIELD_UNKNOWN', path, message);
  if (missing) return found('FIELD_MISSING', path, message);
  if (wrongType) return found('TYPE_WRONG', path, message);
  return found(isFaultCode(code) ? code : 'VALUE_WRONG', path, message);
}
