/** Reads the gate of a plane (`gate.yaml`). */
import type { DocumentSource } from '@mandate/policy/documents';
import { readOneDocument } from '@mandate/policy/one-document';
import { readShape } from '@mandate/schemas';
import { type GateDocument, gateDocument } from '@mandate/schemas/agent-manifest';

/**
 * `path` is dotted, and empty for the file as a whole. `line` and `column` count from 1. `message` continues a sentence
 * that begins with the path.
 */
export type GateFault = {
  code: 'YAML_INVALID' | 'FIELD_UNKNOWN' | 'FIELD_MISSING' | 'TYPE_WRONG' | 'VALUE_WRONG';
  path: string;
  line: number;
  column: number;
  message: string;
};

export type LoadedGate = { ok: true; gate: GateDocument } | { ok: false; faults: readonly GateFault[] };

const EXPECTED = { what: 'gate', begins: 'max_risk_level: standard' };

/** The maximum number of faults that are reported. */
const MOST_FAULTS = 100;

/** @param source the bytes or the text of the file. All its faults are returned, in the order of the file */
export function loadGate(source: DocumentSource): LoadedGate {
  const read = readOneDocument(source, EXPECTED, MOST_FAULTS);
  if (!read.ok) return invalidYaml(read.faults);
  if (read.inexact.length > 0)
    return invalidYaml(
      read.inexact.map(({ path, at, message }) => ({ ...at, path: path.join('.'), message })),
    );
  const shape = readShape(gateDocument, read.value, MOST_FAULTS);
  if (shape.ok) return { ok: true, gate: shape.value };
  const faults = shape.faults.map(
    (fault): GateFault => ({
      code: codeOf(fault),
      path: fault.path.map(String).join('.'),
      ...read.find(fault.path),
      message: fault.message,
    }),
  );
  return { ok: false, faults: faults.sort((a, b) => a.line - b.line || a.column - b.column) };
}

function invalidYaml(faults: readonly Omit<GateFault, 'code'>[]): LoadedGate {
  return {
    ok: false,
    faults: faults.map(({ path, line, column, message }) => ({
      ...{ code: 'YAML_INVALID', path, line, column, message },
    })),
  };
}

type ShapeFault = Extract<ReturnType<typeof readShape>, { ok: false }>['faults'][number];

function codeOf({ unknownField, missing, wrongType }: ShapeFault): GateFault['code'] {
  if (unknownField) return 'FIELD_UNKNOWN';
  if (missing) return 'FIELD_MISSING';
  return wrongType ? 'TYPE_WRONG' : 'VALUE_WRONG';
}
