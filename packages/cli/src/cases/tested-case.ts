import type { CaseTold } from '@mandate/cases';

/** The result of a case, in text and JSON output. */
export type TestedCase = CaseTold & { file: string; line: number; name: string; tookMs: number };
