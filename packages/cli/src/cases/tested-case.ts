import type { CaseTold } from '@mandate/cases';

export type TestedCase = CaseTold & { file: string; line: number; name: string; tookMs: number };
