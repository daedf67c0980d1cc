/** Reads one file as YAML or JSON. The fields of the document are not checked here. */
import type { DocumentSource, FindPlace } from '@mandate/policy/documents';
import { readOneDocument } from '@mandate/policy/one-document';
import { CAPS } from '@mandate/schemas/core';
import { type AgentManifestFault, MOST_FAULTS } from './fault.ts';

/** A parsed file. `units`: its size as JSON. `find` returns the place of a path in the file. */
export type SourceFile = { name: string; value: unknown; units: number; find: FindPlace };

export type SourceRead =
  | { ok: true; file: SourceFile }
  | { ok: false; faults: readonly AgentManifestFault[] };

/**
 * The largest size of a whole manifest as JSON, in UTF-16 units. JSON needs more characters than YAML. If several
 * aliases or references name the same value, the value counts once for each of them.
 */
export const MOST_UNITS = 4 * CAPS.documentBytes;

const EXPECTED = { what: 'agent manifest', begins: 'apiVersion: coreason.ai/v2' };

export function readSource(name: string, source: DocumentSource): SourceRead {
  const read = readOneDocument(source, EXPECTED, MOST_FAULTS);
  if (!read.ok) return refused(name, read.faults);
  // A number that cannot be stored exactly is refused in every document.
  if (read.inexact.length > 0)
    return refused(
      name,
      read.inexact.map(({ at, message }) => ({ ...at, message })),
    );
  const { value, find } = read;
  const units = unitsOf(value);
  if (units > MOST_UNITS)
    return refused(name, [
      { ...find([]), message: 'has aliases that expand to too much: write out their values' },
    ]);
  return { ok: true, file: { name, value, units, find } };
}

/** Returns the size of a value as JSON, in UTF-16 units. */
export function unitsOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function refused(
  file: string,
  faults: readonly { line: number; column: number; message: string }[],
): SourceRead {
  return {
    ok: false,
    faults: faults.map(({ line, column, message }) => ({
      code: 'YAML_INVALID',
      file,
      path: '',
      line,
      column,
      message,
    })),
  };
}
