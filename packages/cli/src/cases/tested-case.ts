import type { CaseTold } from '@mandate/cases';

/** What is said of a case, as JSON too. */
export type TestedCase = CaseTold & { file: string; line: number; name: string; tookMs: number };
