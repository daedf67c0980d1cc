/** The faults and warnings of the documents, with their codes. */

/**
 * The severity of each code. `reference`: the document names something that does not exist. This is an error in a
 * strict load. In a lenient load it is a warning, and the reference grants nothing.
 */
const SEVERITIES = {
  ENVIRONMENT_UNKNOWN: 'error',
  OVERLAY_RENAMES: 'error',
  YAML_INVALID: 'error',
  KEY_TWICE: 'error',
  FIELD_UNKNOWN: 'error',
  FIELD_MISSING: 'error',
  VALUE_INVALID: 'error',
  PATTERN_REFUSED: 'error',
  DURATION_INVALID: 'error',
  CONDITION_INVALID: 'error',
  NAME_INVALID: 'error',
  READ_PERMISSION: 'error',
  CATEGORY_MODE: 'error',
  ID_TWICE: 'error',
  FALLBACK_MISSING: 'error',
  FALLBACK_TWICE: 'error',
  INTENT_WITHOUT_TRIGGER: 'error',
  DEFAULT_INVALID: 'error',
  SAVE_RULE_WITHOUT_TEST: 'error',
  ACTION_UNKNOWN: 'error',
  ENTITY_TYPE_UNKNOWN: 'reference',
  INTENT_UNKNOWN: 'reference',
  TOOL_UNKNOWN: 'reference',
  STORE_UNKNOWN: 'reference',
  ROLE_UNKNOWN: 'reference',
  STORE_TYPE_UNKNOWN: 'warning',
  PATTERN_MATCHES_EVERYTHING: 'warning',
  TOOL_UNREACHABLE: 'warning',
  TOOL_WITHOUT_PERMISSION: 'warning',
  INTENT_WITHOUT_SPECIALIST: 'warning',
  ROLE_LEVEL_TWICE: 'warning',
  TOOL_FOR_NOBODY: 'warning',
  SENSITIVE_WITHOUT_CONFIRMATION: 'warning',
  AUDIT_ALWAYS_ON: 'warning',
  LOG_LEVEL_WITHOUT_EFFECT: 'warning',
  PRINCIPLE_HOLDS_ALL: 'warning',
  USER_ISOLATION_OFF: 'warning',
  INTENT_WITHOUT_STORES: 'warning',
  STORE_WITHOUT_LIMIT: 'warning',
  RULE_NEVER_SAVES: 'warning',
  HASH_AND_REDACT: 'warning',
  OVERLAY_WIDENS: 'warning',
  LOOSENS_PARENT: 'warning',
} as const;
export type FaultCode = keyof typeof SEVERITIES;

/** `line` and `column` count from 1. `path` is dotted, and empty for the file as a whole. */
export type ManifestFault = {
  code: FaultCode;
  file: string;
  path: string;
  line: number;
  column: number;
  message: string;
};

export type Path = readonly PropertyKey[];

/**
 * A fault at a path of a document, before its place in the file is known. `message` continues a sentence that begins
 * with the path. It is a function, because the text is built only for the first faults.
 */
export type Found = { code: FaultCode; path: Path; message: () => string };

export function found(code: FaultCode, path: Path, message: string | (() => string)): Found {
  return { code, path, message: typeof message === 'string' ? () => message : message };
}

export function isError(code: string, mode: 'strict' | 'lenient'): boolean {
  const severity = isFaultCode(code) ? SEVERITIES[code] : 'error';
  return severity === 'error' || (severity === 'reference' && mode === 'strict');
}

export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(SEVERITIES, code);
}

/** The maximum number of errors, and of warnings, that are reported for one file. */
export const MOST_FAULTS = 100;
