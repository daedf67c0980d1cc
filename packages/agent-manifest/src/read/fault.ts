/** The codes of faults and warnings of an agent manifest. A document with a fault is refused. */

const FAULT_CODES = [
  'YAML_INVALID',
  'FIELD_UNKNOWN',
  'FIELD_MISSING',
  'TYPE_WRONG',
  'VALUE_WRONG',
  'FIELD_CONFLICT',
  'API_VERSION_UNSUPPORTED',
  'SCHEMA_INVALID',
  'EXPRESSION_INVALID',
  'REFERENCE_MISSING',
  'REFERENCE_WRONG_TYPE',
  'REFERENCE_AMBIGUOUS',
  'ID_DUPLICATE',
  'TOOL_DUPLICATE',
  'TOOL_NAME_CLASH',
  'VOTER_DUPLICATE',
  'STEP_ID_DIFFERS',
  'CYCLE',
  'CYCLE_UNBOUNDED',
  'PATH_OUTSIDE',
  'REF_MISSING',
  'REF_CYCLE',
  'REF_NOT_A_DEFINITION',
  'EDGE_AMBIGUOUS',
  'EDGE_NOT_A_ROUTE',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

export function isFaultCode(code: string | undefined): code is FaultCode {
  return FAULT_CODES.some((known) => known === code);
}

export type WarningCode =
  | 'NAME_DEFAULTED'
  | 'GENERIC_DEFINITION'
  | 'BACKEND_IGNORED'
  | 'MODEL_DIFFERS'
  | 'SECRET_IN_MANIFEST'
  | 'STEP_UNREACHABLE'
  | 'NO_DEFAULT'
  | 'COUNCIL_OF_ONE'
  | 'MAX_STEPS_TOO_FEW'
  | 'NOTHING_TO_RUN'
  | 'NODE_UNREACHABLE';

/**
 * A fault or a warning with its place. `file` is the manifest, or another file with a definition. `path` is dotted, and
 * empty for the document as a whole. `line` and `column` count from 1. `message` continues a sentence that begins with
 * the path.
 */
export type Placed<Code> = {
  code: Code;
  file: string;
  path: string;
  line: number;
  column: number;
  message: string;
};
export type AgentManifestFault = Placed<FaultCode>;
export type AgentManifestWarning = Placed<WarningCode>;

export type Path = readonly PropertyKey[];

/**
 * A fault or a warning before its place is known. `message` is a function, because the text is built only for the
 * first ones.
 */
export type Found<Code = FaultCode> = { code: Code; path: Path; message: () => string };

export function found<Code>(code: Code, path: Path, message: string | (() => string)): Found<Code> {
  return { code, path, message: typeof message === 'string' ? () => message : message };
}

/** The maximum number of faults, and of warnings, that are reported for one manifest. */
export const MOST_FAULTS = 100;
